// What the terminal interface needs of the build: its views compiled, and its native library inside the executable.
import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import path from "node:path"
import { createSolidTransformPlugin } from "@opentui/solid/bun-plugin"
import { facts } from "./asset.ts"
import { fetchPackage, isLocked, type Platform } from "./package.ts"

const root = path.join(import.meta.dir, "../..")
const files = { linux: "libopentui.so", darwin: "libopentui.dylib", win32: "opentui.dll" } as const

/** Name of the package that holds the native library of a platform. */
const nameOf = ({ os, cpu }: Platform) => `@opentui/core-${os}-${cpu}`

/**
 * Path of the native library of a platform, undefined when bun.lock has none for it: such an executable has everything
 * but the terminal interface. Rejects with what to do when there is one that cannot be fetched.
 */
export async function rendererLibrary(platform: Platform): Promise<string | undefined> {
  const name = nameOf(platform)
  const core = await realpath(path.join(root, "packages/tui/node_modules/@opentui/core"))
  const installed = path.join(core, "../..", name, files[platform.os])
  if (existsSync(installed)) return installed
  return (await isLocked(name)) ? path.join(await fetchPackage(name, platform), files[platform.os]) : undefined
}

/** Compiles the views, and puts `library` into the executable in place of the platform's package. */
export function terminalInterface(platform: Platform, library: string | undefined): Bun.BunPlugin[] {
  return [createSolidTransformPlugin(), compiledViews, embedLibrary(platform, library)]
}

/** The compiler of views serves runs from source alone; it would be 5 MB of the executable. */
const compiledViews: Bun.BunPlugin = {
  name: "compiled views",
  setup(build) {
    build.onLoad({ filter: /[\\/]tui[\\/]src[\\/]jsx\.ts$/ }, () => {
      return { contents: "export function understandJsx() {}", loader: "ts" }
    })
  },
}

function embedLibrary(platform: Platform, library: string | undefined): Bun.BunPlugin {
  return {
    name: "renderer",
    setup(build) {
      build.onResolve({ filter: /^@opentui\/core-(?:linux|darwin|win32)-/ }, ({ path: name }) => {
        return name === nameOf(platform) ? { path: name, namespace: "renderer" } : { path: name, external: true }
      })
      build.onLoad({ filter: /./, namespace: "renderer" }, async () => {
        return { contents: library === undefined ? missing(platform) : await present(library), loader: "ts" }
      })
    },
  }
}

const missing = (platform: Platform) =>
  `throw new Error("This executable was built without the terminal interface: there was no ${nameOf(platform)}.")`

async function present(library: string): Promise<string> {
  const unpack = path.join(root, "packages/cli/src/terminal/renderer-library.ts")
  return [
    `import path from ${JSON.stringify(library)} with { type: "file" }`,
    `import { rendererLibrary } from ${JSON.stringify(unpack)}`,
    `export default rendererLibrary({ path, ...${JSON.stringify(await facts(library))} })`,
  ].join("\n")
}
