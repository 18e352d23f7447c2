import { readdir } from "node:fs/promises"
import { join } from "node:path"

/** Directories of builds, dependencies and tools: what is in them can be made again, and there is too much of it. */
const passedOver: ReadonlySet<string> = new Set(
  [
    ...[
      ".git",
      ".hg",
      ".svn",
      ".jj",
      "node_modules",
      "bower_components",
      "jspm_packages",
      "vendor",
      "Pods",
      "Carthage",
    ],
    ...[".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".eggs"],
    ...["dist", "build", "out", "target", "obj", "_build", "coverage", ".nyc_output", "DerivedData"],
    ...[".next", ".nuxt", ".output", ".svelte-kit", ".astro", ".turbo", ".parcel-cache", ".vite", ".angular"],
    ...[".cache", ".gradle", ".m2", ".cargo", ".stack-work", "dist-newstyle", ".dart_tool", "elm-stuff"],
    ...[".terraform", ".serverless", "zig-cache", ".zig-cache", "zig-out", ".bundle", ".pnpm-store", ".yarn"],
  ].map((name) => name.toLowerCase()),
)

/** Directories beside those that have files. */
const mostEmpty = 1_000

/** Is a directory of this name left out, by itself or because it stands for others like it? */
export const isPassedOver = (name: string): boolean =>
  passedOver.has(name.toLowerCase()) || /^bazel-|^cmake-build-/.test(name)

export interface Walked {
  /** Absolute. Links are named, not followed. */
  readonly files: readonly string[]
  readonly directories: readonly string[]
  /** Directories that were left out, absolute. */
  readonly passedOver: readonly string[]
  /** There are more than were asked for. */
  readonly cut: boolean
}

/**
 * All files below a directory, at most `most`, the upper ones first; with `everything` builds and dependencies too. What
 * cannot be read is not there.
 */
export async function walkFiles(root: string, most: number, signal: AbortSignal, everything = false): Promise<Walked> {
  const files: string[] = []
  const directories: string[] = []
  const left: string[] = []
  const queue = [root]
  for (const directory of queue) {
    signal.throwIfAborted()
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
    directories.push(directory)
    for (const entry of entries) {
      const path = join(directory, entry.name)
      if (!entry.isDirectory()) files.push(path)
      else if (!everything && isPassedOver(entry.name)) left.push(path)
      else queue.push(path)
    }
    if (files.length > most || queue.length > most + mostEmpty)
      return { files: files.slice(0, most), directories, passedOver: left, cut: true }
  }
  return { files, directories, passedOver: left, cut: false }
}
