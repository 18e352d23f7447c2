import { existsSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"

/**
 * Path of the ripgrep to run: the one that @vscode/ripgrep brings, else the one on PATH. By looking at the disk: an
 * executable resolves no packages, and in `dist/` of a checkout it has them beside it.
 */
export function ripgrepPath(env: Readonly<Record<string, string>>): string | undefined {
  const core = [join(import.meta.dir, "../.."), join(dirname(process.execPath), "../packages/core")]
  for (const place of core.flatMap((path) => [path, join(path, "../..")])) {
    const found = packaged(join(place, "node_modules/@vscode/ripgrep"))
    if (found !== undefined) return found
  }
  return Bun.which("rg", { PATH: env["PATH"] ?? "" }) ?? undefined
}

/** The platform's package is a dependency of @vscode/ripgrep and stands beside the real place of it. */
function packaged(wrapper: string): string | undefined {
  if (!existsSync(wrapper)) return undefined
  const platform = `ripgrep-${process.platform}-${process.arch}`
  const program = join(realpathSync(wrapper), "..", platform, "bin", process.platform === "win32" ? "rg.exe" : "rg")
  return existsSync(program) ? program : undefined
}
