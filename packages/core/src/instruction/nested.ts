import { dirname, join, relative } from "node:path"
import { contains } from "../workspace/paths.ts"
import { type Instruction, instructionBlock } from "./define.ts"
import { filesIn, instructionNames, projectFile, waysDown } from "./files.ts"
import { isForeign } from "./foreign.ts"

/** Instructions that join what a tool shows. */
export interface Joined {
  readonly text: string
  /** Real paths of the files in it. */
  readonly loaded: readonly string[]
}

/** Bytes of all files that join one result; what does not fit joins the next. */
const mostJoined = 64 * 1024

/** Files of instructions between the worktree's root and a file that was read, outermost first: of each directory the first name. */
export async function nestedPaths(path: string, worktree: string): Promise<string[]> {
  if (!contains(worktree, path) || isForeign(relative(worktree, path))) return []
  const way = waysDown(worktree, dirname(path))
  const listings = await Promise.all(way.map(filesIn))
  return way.flatMap((place, index) => {
    const name = instructionNames.find((one) => listings[index]!.has(one))
    return name === undefined ? [] : [join(place, name)]
  })
}

/** Takes those of `paths` that `claim` gives out. A claim is made before the text is joined, so that two reads side by side never both show a file. */
export async function joinFiles(
  paths: readonly string[],
  worktree: string,
  claim: (real: string) => boolean,
): Promise<Joined | undefined> {
  const blocks: string[] = []
  const loaded: string[] = []
  let bytes = 0
  for (const path of paths) {
    const found: Instruction | undefined = await projectFile(path, [worktree])
    if (!found) continue
    const size = Buffer.byteLength(found.text)
    if (bytes + size > mostJoined) break
    if (!claim(found.real)) continue
    bytes += size
    blocks.push(instructionBlock(found))
    loaded.push(found.real)
  }
  return loaded.length === 0 ? undefined : { text: blocks.join("\n\n"), loaded }
}
