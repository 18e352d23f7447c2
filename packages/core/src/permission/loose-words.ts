/** Most characters of a line that are looked at. */
export const longestLine = 64 * 1024
const longestCommand = 1024

/**
 * Every text in a line that could turn out to be a command, however it is quoted or wrapped: from each word to the end
 * of its piece, also by the name without its directory. Far too many on purpose: it is only held against denials.
 */
export function* looseWords(line: string): Generator<string, void, undefined> {
  const bare = line
    .slice(0, longestLine)
    .replaceAll(/\\\n/g, "")
    .replaceAll(/['"\\]/g, "")
  for (const piece of bare.split(/[\n;|&(){}`<>$=]+/)) {
    const words = piece.split(/\s+/).filter((word) => word !== "")
    for (let index = 0; index < words.length; index++) {
      const rest = tail(words, index + 1)
      const word = words[index]!
      yield word + rest
      const name = word.slice(word.lastIndexOf("/") + 1)
      if (name !== word && name !== "") yield name + rest
    }
  }
}

function tail(words: readonly string[], from: number): string {
  let text = ""
  for (let index = from; index < words.length && text.length < longestCommand; index++) text += ` ${words[index]!}`
  return text
}
