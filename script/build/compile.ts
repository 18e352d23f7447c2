// One executable: the command line, its runtime, and everything that it needs on the disk.
import { mkdir, rename, rm, stat } from "node:fs/promises"
import path from "node:path"
import { facts } from "./asset.ts"
import type { Platform } from "./package.ts"
import { rendererLibrary, terminalInterface } from "./renderer.ts"
import { ripgrepProgram } from "./ripgrep.ts"

const root = path.join(import.meta.dir, "../..")

/** Platforms that are built for, by Bun's names. Another platform's runtime is fetched once from the package registry. */
export const targets = {
  "linux-x64": { os: "linux", cpu: "x64" },
  "linux-arm64": { os: "linux", cpu: "arm64" },
  "darwin-x64": { os: "darwin", cpu: "x64" },
  "darwin-arm64": { os: "darwin", cpu: "arm64" },
  "windows-x64": { os: "win32", cpu: "x64" },
} as const satisfies Record<string, Platform>

export type Target = keyof typeof targets

/** This machine as a target; undefined when no executable is made for it. */
export function ownTarget(): Target | undefined {
  const names = Object.keys(targets) as Target[]
  return names.find((name) => targets[name].os === process.platform && targets[name].cpu === process.arch)
}

/** What was built, or why it could not be. */
export type Built = { readonly file: string; readonly bytes: number } | { readonly problem: string }

/** Builds `file` for a target. It is renamed when whole: a build that is interrupted leaves the old one in its place. */
export async function compile(file: string, target: Target): Promise<Built> {
  try {
    await mkdir(path.dirname(file), { recursive: true })
    const program = await ripgrepProgram(targets[target])
    const library = await rendererLibrary(targets[target])
    const partial = `${file}.${process.pid}.partial${path.extname(file)}`
    try {
      const plugins = [embedRipgrep(program), ...terminalInterface(targets[target], library)]
      const result = await bundle(partial, target, plugins)
      if (!result.success) return { problem: result.logs.map(String).join("\n") }
      await rename(partial, file)
      return { file, bytes: (await stat(file)).size }
    } finally {
      await rm(partial, { force: true })
    }
  } catch (error) {
    const logs = error instanceof AggregateError ? error.errors.map(String).join("\n") : ""
    return { problem: logs || (error instanceof Error ? error.message : String(error)) }
  }
}

function bundle(outfile: string, target: Target, plugins: Bun.BunPlugin[]): Promise<Bun.BuildOutput> {
  return Bun.build({
    entrypoints: [path.join(root, "packages/cli/src/main.ts")],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    bytecode: true,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins,
    compile: {
      outfile,
      // Most of what a run does it does once: compiling it costs more than it saves (decisions/2026-11-22-executable.md).
      jitPolicy: 4,
      // Where it is started is somebody's project: nothing there may configure the runtime, or run before us.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(target === ownTarget() ? {} : { target: `bun-${target}` }),
    },
  })
}

/** Puts the program into the executable, and what to check a copy of it by into `ripgrep-asset.ts`. */
function embedRipgrep(program: string): Bun.BunPlugin {
  return {
    name: "ripgrep",
    setup(build) {
      build.onLoad({ filter: /[\\/]process[\\/]ripgrep-asset\.ts$/ }, async () => {
        const contents = [
          `import path from ${JSON.stringify(program)} with { type: "file" }`,
          `export const ripgrepAsset = { path, ...${JSON.stringify(await facts(program))} }`,
        ].join("\n")
        return { contents, loader: "ts" }
      })
    },
  }
}
