// Where the build takes ripgrep from: the installed package, or for another platform its package from the registry.
import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import path from "node:path"
import { fetchPackage, type Platform } from "./package.ts"

const root = path.join(import.meta.dir, "../..")

/** Path of the ripgrep program of a platform. Rejects with what to do when it can be neither found nor fetched. */
export async function ripgrepProgram(platform: Platform): Promise<string> {
  const name = `@vscode/ripgrep-${platform.os}-${platform.cpu}`
  const program = path.join("bin", platform.os === "win32" ? "rg.exe" : "rg")
  const wrapper = await realpath(path.join(root, "packages/core/node_modules/@vscode/ripgrep"))
  const installed = path.join(wrapper, "../..", name, program)
  return existsSync(installed) ? installed : path.join(await fetchPackage(name, platform), program)
}
