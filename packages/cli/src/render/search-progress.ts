import type { Io } from "../io.ts"
import { lookOf } from "../terminal/look.ts"

/** Says on stderr, in place on a terminal and once elsewhere, that the search index is being built. */
export function searchProgress({ stderr, env }: Pick<Io, "stderr" | "env">): {
  tell(done: number): void
  clear(): void
} {
  const { live } = lookOf(stderr, env)
  let told = false
  return {
    tell(done) {
      if (live) stderr.write(`\r\x1b[Kbuilding the search index: ${Math.floor(done * 100)} %`)
      else if (!told) stderr.write("building the search index…\n")
      told = true
    },
    clear() {
      if (live && told) stderr.write("\r\x1b[K")
    },
  }
}
