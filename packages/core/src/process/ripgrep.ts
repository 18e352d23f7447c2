import { createRequire } from "node:module"

/** Path of the ripgrep to run. The executable unpacks its own and passes that path in instead. */
export function ripgrepPath(env: Readonly<Record<string, string>>): string | undefined {
  const program = process.platform === "win32" ? "rg.exe" : "rg"
  try {
    const near = createRequire(import.meta.url)
    // The platform's package is a dependency of @vscode/ripgrep, not of ours: it is looked up from there.
    const far = createRequire(near.resolve("@vscode/ripgrep"))
    return far.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`)
  } catch {
    return Bun.which("rg", { PATH: env["PATH"] ?? "" }) ?? undefined
  }
}
