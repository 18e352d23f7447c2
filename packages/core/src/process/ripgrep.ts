import { existsSync, realpathSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { Log } from "@cairn/kernel/log"
import { unpack } from "./embedded.ts"
import { ripgrepAsset } from "./ripgrep-asset.ts"

export interface RipgrepPlaces {
  /** Cairn's own cache directory: the executable unpacks its ripgrep there, else into the temporary directory. */
  readonly cacheDir?: string
  readonly log?: Log
}

/**
 * Path of the ripgrep to run: the executable's own, from source that of @vscode/ripgrep, else the one on PATH.
 * A copy of the executable's own is checked, and made where it is missing, at every call.
 */
export function ripgrepPath(env: Readonly<Record<string, string>>, places: RipgrepPlaces = {}): string | undefined {
  const own = ripgrepAsset === undefined ? installed() : unpacked(places)
  return own ?? Bun.which("rg", { PATH: env["PATH"] ?? "" }) ?? undefined
}

function unpacked({ cacheDir, log }: RipgrepPlaces): string | undefined {
  if (ripgrepAsset === undefined) return undefined
  const temporary = join(tmpdir(), `cairn-${process.getuid?.() ?? userInfo().username}`)
  const found = unpack(
    ripgrepAsset,
    [cacheDir ?? temporary, temporary].map((place) => join(place, "bin")),
  )
  if (found.ok) return found.value
  log?.warn("ripgrep could not be unpacked", { reasons: found.error.reasons })
  return undefined
}

/** By looking at the disk: the platform's package stands beside the real place of @vscode/ripgrep, which names it. */
function installed(): string | undefined {
  const wrapper = join(import.meta.dir, "../../node_modules/@vscode/ripgrep")
  if (!existsSync(wrapper)) return undefined
  const platform = `ripgrep-${process.platform}-${process.arch}`
  const program = join(realpathSync(wrapper), "..", platform, "bin", process.platform === "win32" ? "rg.exe" : "rg")
  return existsSync(program) ? program : undefined
}
