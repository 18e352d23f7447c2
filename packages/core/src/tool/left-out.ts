/** Tells the model which hunks of its change the user did not want. Empty when all were applied. */
export function leftOutNote(leftOut: readonly number[], file: string): string {
  if (leftOut.length === 0) return ""
  const numbers = leftOut.map((index) => index + 1).join(", ")
  const what = leftOut.length === 1 ? "hunk" : "hunks"
  return ` The user left out ${what} ${numbers} of the change of ${file}: there the file is as before. Do not repeat what was left out without being asked.`
}
