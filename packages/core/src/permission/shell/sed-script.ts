import { patternless } from "./pattern-words.ts"
import { wordOf } from "./syntax.ts"

/** The scripts among the arguments of sed. */
export function sedScripts(args: readonly string[]): string[] {
  const words = args.map(wordOf)
  const others = new Set(patternless("sed", words))
  const scripts = words.filter((word) => !others.has(word) || /^-(?!-)\w*e./.test(word.value))
  return scripts.map(({ value }) => value.replace(/^-(?!-)[a-zA-Z]*?e|^--[a-z]+=/, ""))
}

/** Does a sed script run a command (`e`), read another file (`r`) or write one (`w`), as a command or as a flag of `s`? */
export function sedOpens(script: string): boolean {
  let opens = false
  const rest = script
    .replaceAll(/(^|[;{}\n,]\s*)\/(?:\\[\s\S]|[^\\/])*\//g, "$1@")
    .replaceAll(
      /(^|[@;{}\n\d$!IM,]\s*)([sy])([^\w\s;\\])(?:\\[\s\S]|(?!\3)[^\\])*\3(?:\\[\s\S]|(?!\3)[^\\])*\3(\w*)/g,
      (_, lead: string, command: string, _delimiter: string, flags: string) => {
        opens ||= command === "s" && /[ewW]/.test(flags)
        return lead
      },
    )
  return opens || /(?:^|[@;{}\n\d$!IM,])\s*[ewWrR]/.test(rest)
}
