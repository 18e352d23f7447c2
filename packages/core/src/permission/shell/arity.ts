import { arityRows } from "./arity-rows.ts"

const words: ReadonlyMap<string, number> = new Map(
  arityRows.map(({ prefix, more }) => [prefix, prefix.split(" ").length + more]),
)
/** A tool that a row speaks of has a subcommand, whether or not a row speaks of that. */
const withSubcommands: ReadonlySet<string> = new Set(
  arityRows.flatMap(({ prefix }) => (prefix.includes(" ") ? [prefix.slice(0, prefix.indexOf(" "))] : [])),
)

/** How many words of a command, options aside, say what it does. */
function lengthOf(first: string, second: string): number {
  const name = first.slice(first.lastIndexOf("/") + 1)
  return words.get(`${name} ${second}`) ?? words.get(first) ?? words.get(name) ?? (withSubcommands.has(name) ? 2 : 1)
}

const mostForms = 16

/**
 * What a command is without the options in front of its subcommand: `kubectl -n x delete y` is `kubectl delete y`. Whether
 * an option takes the word behind it is not known, so both are given.
 */
export function withoutLeadingOptions(argv: readonly string[]): string[] {
  const [first = "", ...rest] = argv
  const found = new Set<string>()
  const visit = (at: number, kept: readonly string[]): void => {
    const next = rest[at]
    if (found.size >= mostForms) return
    if (next === undefined || kept.length >= lengthOf(kept[0]!, kept[1] ?? "")) {
      found.add([...kept, ...rest.slice(at)].join(" "))
      return
    }
    if (!next.startsWith("-") && !(next.startsWith("+") && first === "cargo")) return visit(at + 1, [...kept, next])
    visit(at + 1, kept)
    if (!next.includes("=") && rest[at + 1]?.startsWith("-") === false) visit(at + 2, kept)
  }
  visit(0, [first])
  found.delete(argv.join(" "))
  return [...found]
}

/** The words of a command that say what it does, or undefined when they are not plain (an option stands between). */
export function commandPrefix(argv: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = argv
  const prefix = argv.slice(0, lengthOf(first, second))
  const option = prefix.findIndex((word, index) => index > 0 && word.startsWith("-") && !(index === 1 && word === "-m"))
  return option < 0 ? prefix : undefined
}
