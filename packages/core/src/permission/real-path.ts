import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname } from "node:path"

const mostLinks = 40

export interface FollowedPath {
  readonly real: string
  /** The symbolic links on the way, each as a path whose parent is real. */
  readonly links: readonly string[]
}

/** What is known of the disk for the length of one decision; what is put in stands above the disk. */
export interface LinkView {
  /** Path with a real parent → what the link there holds; undefined for what is none. */
  readonly targets: Map<string, string | undefined>
  readonly followed: Map<string, FollowedPath | undefined>
  /** A link was put in. */
  made: boolean
}

export const linkView = (): LinkView => ({ targets: new Map(), followed: new Map(), made: false })

/** Takes a link for made. */
export function makeLink(view: LinkView, path: string, target: string): void {
  view.targets.set(path, target)
  view.followed.clear()
  view.made = true
}

/** What these lead to depends on who asks: for a command it is not what it is for us. */
const ofTheProcess = /^\/proc\/\d+(?:\/task\/\d+)?\/(?:cwd|fd|exe|map_files)$/

/**
 * Where an absolute path really leads: links followed, `..` applied after them, names as they are for what does not
 * exist yet. Undefined for a loop of links, for what cannot be a path, and for what is another path to every process.
 */
export function followPath(path: string, view: LinkView = linkView()): FollowedPath | undefined {
  const { followed } = view
  if (!followed.has(path)) followed.set(path, follow(path, view.targets))
  return followed.get(path)
}

function follow(path: string, targets: LinkView["targets"]): FollowedPath | undefined {
  if (!path.startsWith("/") || path.includes("\0") || path.length > 4096) return undefined
  const rest = path.split("/").toReversed()
  const links: string[] = []
  let real = "/"
  while (rest.length > 0) {
    const name = rest.pop()!
    if (name === "" || name === ".") continue
    if (name === "..") {
      real = dirname(real)
      continue
    }
    const next = real === "/" ? `/${name}` : `${real}/${name}`
    if (ofTheProcess.test(next)) return undefined
    const target = targets.has(next) ? targets.get(next) : linkTarget(next)
    targets.set(next, target)
    if (target === undefined) {
      real = next
      continue
    }
    if (links.push(next) > mostLinks) return undefined
    if (target.startsWith("/")) real = "/"
    rest.push(...target.split("/").toReversed())
  }
  return { real: stored(real), links }
}

/** `followPath` for those who only need the end. */
export const realPathSync = (path: string, view?: LinkView): string | undefined => followPath(path, view)?.real

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
