import { lstat } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { contains, resolvePath } from "../../workspace/paths.ts"
import type { ResolvedPath } from "../../workspace/paths.ts"
import { titlePath } from "../change-file.ts"
import type { ToolContext } from "../define.ts"
import { atLine, failure, pathsOf } from "./apply-to-texts.ts"
import type { PatchFailure, PatchSection } from "./types.ts"

type Place = Pick<ToolContext, "directory" | "worktree">

/**
 * Where every path of the patch leads, by the path as the patch writes it. A path that leads out of the
 * worktree is `outside`. An update goes through a symbolic link as every writer does; deleting or moving one
 * is a `conflict`, because what would go away is not what was named.
 */
export async function resolvePaths(
  sections: readonly PatchSection[],
  place: Place,
): Promise<Result<ReadonlyMap<string, ResolvedPath>, ToolFailure>> {
  const resolved = new Map<string, ResolvedPath>()
  for (const section of sections) {
    for (const path of pathsOf(section)) {
      const found = await resolvePath(path, place.directory)
      if (found.problem) return err(atLine(section.at, found.problem))
      if (!contains(place.worktree, found.real)) {
        const out = `is outside of the worktree ${place.worktree}`
        const what = found.links.length > 0 ? `${path} leads to ${found.real}, which ${out}` : `${path} ${out}`
        return err(plain(failure("outside", section, what)))
      }
      resolved.set(path, found)
    }
    const source = resolved.get(section.path)
    if (!source || !takesAway(section) || !(await isLink(section.path, place.directory))) continue
    const real = titlePath(source.real, place.worktree)
    const what = `${section.path} is a symbolic link to ${real}; a patch neither deletes nor moves a link, name ${real}`
    return err(plain(failure("conflict", section, what)))
  }
  return ok(resolved)
}

function takesAway(section: PatchSection): boolean {
  return section.kind === "delete" || (section.kind === "update" && section.moveTo !== undefined)
}

/** Whether the last name of the path is itself a link, whatever the directories above it are. */
async function isLink(path: string, base: string): Promise<boolean> {
  const names = path.split("/")
  while (names.length > 1 && (names.at(-1) === "" || names.at(-1) === ".")) names.pop()
  const name = names.pop() ?? ""
  if (name === ".." || name === ".") return false
  const parent = await resolvePath(names.length === 0 ? "." : names.join("/") || "/", base)
  const info = await lstat(`${parent.real}/${name}`).catch(() => undefined)
  return info?.isSymbolicLink() ?? false
}

function plain({ kind, message }: PatchFailure): ToolFailure {
  return { kind, message }
}
