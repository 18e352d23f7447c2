import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname } from "node:path"

const mostLinks = 40

/**
 * Where an absolute path really leads: links followed, `..` applied after them, names as they are for what does not
 * exist yet. Undefined for a loop of links and for what cannot be a path.
 */
export function realPathSync(path: string): string | undefined {
  if (!path.startsWith("/") || path.includes("\0") || path.length > 4096) return undefined
  const rest = path.split("/").toReversed()
  let links = 0
  let real = "/"
  while (rest.length > 0) {
    const name = rest.pop()!
    if (name === "" || name === ".") continue
    if (name === "..") {
      real = dirname(real)
      continue
    }
    const next = real === "/" ? `/${name}` : `${real}/${name}`
    const target = linkTarget(next)
    if (target === undefined) {
      real = next
      continue
    }
    if (++links > mostLinks) return undefined
    if (target.startsWith("/")) real = "/"
    rest.push(...target.split("/").toReversed())
  }
  return stored(real)
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined // may not be looked at, or a file where a directory was expected: the use will say so
  }
}

/** The name as the file system has it (case, unicode form), when it exists. */
function stored(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
