import path from "node:path"
import type { TempWorkspace } from "@cairn/testkit/workspace"

export interface Loads {
  /** For the process that is to be watched. */
  readonly env: Readonly<Record<string, string>>
  /** What it has loaded so far, sorted, as paths below `packages`. */
  loaded(): Promise<string[]>
}

/** Makes the runtime write down which of our files it loads, of those whose path matches. */
export async function watchingLoads(space: TempWorkspace, pattern = "(cli|core|kernel|schema)/src/"): Promise<Loads> {
  const file = path.join(space.home, "loaded")
  const preload = path.join(space.home, "preload.ts")
  await space.write(
    preload,
    `import { appendFileSync, readFileSync } from "node:fs"
    Bun.plugin({
      name: "loads",
      setup: (build) =>
        build.onLoad({ filter: /packages\\/.*\\.ts$/ }, ({ path }) => {
          if (/${pattern.replaceAll("/", "\\/")}/.test(path))
            appendFileSync(${JSON.stringify(file)}, path.replace(/.*\\/packages\\//, "") + "\\n")
          return { contents: readFileSync(path, "utf8"), loader: "ts" }
        }),
    })`,
  )
  const loaded = async () => (await space.read(file).catch(() => "")).split("\n").filter(Boolean).sort()
  return { env: { BUN_OPTIONS: `--preload=${preload}` }, loaded }
}
