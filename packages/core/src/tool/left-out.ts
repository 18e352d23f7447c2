import type { PermissionHunk } from "@cairn/schema/permission"
import { type Hunk, hunkHeader } from "../workspace/diff.ts"

/** The hunks of an edit as they are asked for, numbered through all its files. */
export function askedHunks(
  files: readonly { readonly shown: string; readonly hunks: readonly Hunk[] }[],
): PermissionHunk[] {
  return files
    .flatMap(({ shown, hunks }) => hunks.map((hunk) => ({ file: shown, header: hunkHeader(hunk) })))
    .map((hunk, number) => ({ number, ...hunk }))
}

/** Tells the model which hunks of its change of a file the user did not want. Empty when all were applied. */
export function leftOutNote(leftOut: readonly number[], asked: readonly Hunk[], file: string): string {
  if (leftOut.length === 0) return ""
  const named = leftOut.flatMap((index) => {
    const hunk = asked[index]
    return hunk ? [`${index + 1} (${hunkHeader(hunk)})`] : []
  })
  const what = leftOut.length === 1 ? "hunk" : "hunks"
  return ` The user left out ${what} ${named.join(", ")} of the ${asked.length} in the change of ${file}: there the file is as before. Do not repeat what was left out without being asked.`
}
