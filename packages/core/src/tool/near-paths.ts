import { lstat, opendir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import type { ToolFailure } from "@cairn/schema/error"
import { codeOf, ioFailure, shownPath } from "../workspace/files.ts"
import { contains } from "../workspace/paths.ts"
import { nearNames } from "./near-names.ts"

const mostSiblings = 5_000
const mostVisited = 3_000
const mostDepth = 6
const mostNamed = 3
const passedOver = new Set(["node_modules", ".git", "dist", "build", "target", ".venv", "venv", "__pycache__"])

/**
 * The failure for a path at which nothing was found, with the paths that were perhaps meant: `missing`, or `io` where the
 * system does not let us look.
 */
export async function missingPath(path: string, root: string): Promise<ToolFailure> {
  const hidden = await lstat(path).then(
    () => undefined,
    (error: unknown) => ioFailure(error, path),
  )
  if (hidden?.kind === "io") return hidden
  const near = await nearPaths(path, root)
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map(shownPath).join(", or ")}?`
  return { kind: "missing", message: `${shownPath(path)} does not exist.${hint}` }
}

/** Paths with a similar name beside the missing one, then with the same name elsewhere below `root`. Bounded. */
async function nearPaths(path: string, root: string): Promise<string[]> {
  const parent = dirname(path)
  const siblings = (await namesIn(parent, mostSiblings)).map(({ name }) => name)
  const beside = nearNames(basename(path), siblings, mostNamed).map((name) => `${parent === "/" ? "" : parent}/${name}`)
  if (beside.length > 0 || !contains(root, path)) return beside
  return await sameName(basename(path).toLowerCase(), root)
}

async function sameName(wanted: string, root: string): Promise<string[]> {
  const found: string[] = []
  const queue = [{ path: root, depth: 0 }]
  let visited = 0
  for (let next = queue.shift(); next && visited < mostVisited && found.length < mostNamed; next = queue.shift()) {
    for (const { name, directory } of await namesIn(next.path, mostVisited - visited)) {
      visited++
      const path = `${next.path}/${name}`
      if (name.toLowerCase() === wanted) found.push(path)
      if (directory && next.depth < mostDepth && !passedOver.has(name)) queue.push({ path, depth: next.depth + 1 })
    }
  }
  return found.slice(0, mostNamed)
}

/** What can be seen of a directory: nothing of one that is missing or may not be read, and what came before it went away. */
async function namesIn(path: string, most: number): Promise<{ name: string; directory: boolean }[]> {
  const names: { name: string; directory: boolean }[] = []
  try {
    // Some of its errors only come with the first entry.
    for await (const entry of await opendir(path)) {
      names.push({ name: entry.name, directory: entry.isDirectory() })
      if (names.length >= most) break
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
  return names
}
