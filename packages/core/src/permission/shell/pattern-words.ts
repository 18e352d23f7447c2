import type { Word } from "./syntax.ts"

interface PatternRow {
  readonly commands: readonly string[]
  /** Short options that bring the pattern, so that the first operand is a file. */
  readonly brings: string
  /** The same as long options; GNU takes any beginning of them. */
  readonly long: readonly string[]
  /** Short options that bring it from a file, which is a path. */
  readonly files: string
  /** Short options with a value that is neither. */
  readonly valued: string
}

/** Commands whose first operand is a pattern or a program, not a path. */
const rows: readonly PatternRow[] = [
  {
    commands: ["grep", "egrep", "fgrep", "zgrep"],
    ...{ brings: "e", long: ["--regexp", "--file"], files: "f", valued: "ABCmdD" },
  },
  {
    commands: ["rg", "ag"],
    brings: "e",
    long: ["--regexp", "--file", "--files", "--type-list"],
    files: "f",
    valued: "ABCmgtTjMrE",
  },
  { commands: ["sed", "gsed"], brings: "e", long: ["--expression", "--file"], files: "f", valued: "l" },
  { commands: ["awk", "gawk", "mawk", "nawk"], brings: "e", long: ["--source", "--file"], files: "f", valued: "Fv" },
  { commands: ["jq", "yq"], brings: "", long: ["--from-file"], files: "f", valued: "" },
]

const byName = new Map(rows.flatMap((row) => row.commands.map((name) => [name, row] as const)))

/**
 * The arguments that may be paths: without the pattern of those commands that take one, and of `echo` only what the shell
 * itself expands. In doubt a word stays.
 */
export function patternless(command: string, words: readonly Word[]): readonly Word[] {
  if (command === "echo" || command === "printf") return words.filter((word) => word.glob)
  const row = byName.get(command)
  if (!row) return words
  const dropped = new Set<number>()
  let brought = false
  let first: number | undefined
  for (let index = 0; index < words.length; index++) {
    const text = words[index]!.value
    if (text === "--") {
      first ??= index + 1 < words.length ? index + 1 : undefined
      break
    }
    if (text === "-" || !text.startsWith("-")) {
      first ??= index
      continue
    }
    const [name = ""] = text.split("=", 1)
    if (text.startsWith("--")) {
      const long = name.length > 2 && row.long.find((one) => one.startsWith(name))
      brought ||= Boolean(long)
      if (long && !/^--(?:file|from)/.test(long)) dropPattern(text.includes("=") ? index : index + 1)
      continue
    }
    const at = [...text].findIndex(
      (char, place) => place > 0 && `${row.brings}${row.files}${row.valued}`.includes(char),
    )
    if (at < 0) continue
    const [char, last] = [text[at]!, at === text.length - 1]
    brought ||= !row.valued.includes(char)
    if (row.brings.includes(char)) dropPattern(last ? index + 1 : index)
    if (last) index++ // its value is no operand
  }
  function dropPattern(index: number): void {
    dropped.add(index)
  }
  if (!brought && first !== undefined) dropped.add(first)
  return words.filter((_, index) => !dropped.has(index))
}
