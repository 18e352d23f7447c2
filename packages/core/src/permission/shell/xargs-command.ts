import { placeholder } from "./find-command.ts"
import { hasHole, hole, type Word, wordOf } from "./syntax.ts"

const valued = "nPLsEdIJ"
const longValued: ReadonlySet<string> = new Set(
  "delimiter max-args max-procs max-lines max-chars replace process-slot-var eof".split(" "),
)
const long: ReadonlySet<string> = new Set("null no-run-if-empty verbose exit interactive open-tty".split(" "))

/** The command that `xargs` runs, with what it gets from its input; `stands`: what that can only lie below. Else why not. */
export function xargsCommand(args: readonly Word[], stands: readonly Word[] | undefined): readonly Word[] | string {
  let replace: string | undefined
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]!.value
    if (hasHole(text)) return "an argument that is only known when it runs"
    if (text === "--") {
      at++
      break
    }
    if (!text.startsWith("-") || text === "-") break
    if (text.startsWith("--")) {
      const [name = "", value] = text.slice(2).split("=", 2)
      if (name === "replace") replace = value ?? "{}"
      else if (longValued.has(name)) at += value === undefined ? 1 : 0
      else if (!long.has(name)) return `the option --${name}, which is not known`
      continue
    }
    for (let place = 1; place < text.length; place++) {
      const letter = text[place]!
      if (letter === "i") {
        replace = text.slice(place + 1) || "{}"
        break
      }
      if ("le".includes(letter)) break
      if ("0rtpxo".includes(letter)) continue
      if (!valued.includes(letter)) return `the option -${letter}, which is not known`
      const value = text.slice(place + 1) || args[++at]?.value
      if (letter === "I" || letter === "J") replace = value
      break
    }
  }
  const words = args.slice(at)
  const command = words.length > 0 ? words : [wordOf("echo")]
  if (replace === undefined) {
    const input: Word = {
      raw: "…",
      value: hole,
      glob: false,
      tilde: false,
      plain: false,
      many: true,
      ...(stands && { stands }),
    }
    return [...command, input]
  }
  if (replace === "") return "an empty text to replace"
  return command.map((word) => (word.value.includes(replace) ? placeholder(word, stands, replace) : word))
}
