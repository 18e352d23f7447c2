import { arityRows } from "./arity-rows.ts"

const words: ReadonlyMap<string, number> = new Map(
  arityRows.map(({ prefix, more }) => [prefix, prefix.split(" ").length + more]),
)
/** A tool that a row speaks of has a subcommand, whether or not a row speaks of that. */
const withSubcommands: ReadonlySet<string> = new Set(
  arityRows.flatMap(({ prefix }) => (prefix.includes(" ") ? [prefix.slice(0, prefix.indexOf(" "))] : [])),
)

/** The words of a command that say what it does, or undefined when they are not plain (an option stands between). */
export function commandPrefix(argv: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = argv
  const name = first.slice(first.lastIndexOf("/") + 1)
  const length =
    words.get(`${name} ${second}`) ?? words.get(first) ?? words.get(name) ?? (withSubcommands.has(name) ? 2 : 1)
  const prefix = argv.slice(0, length)
  const option = prefix.findIndex((word, index) => index > 0 && word.startsWith("-") && !(index === 1 && word === "-m"))
  return option < 0 ? prefix : undefined
}
