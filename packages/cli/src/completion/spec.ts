import type { Command, Completion, Flag } from "../argv/define.ts"

/** What the scripts of the three shells are made from: the commands, put the way a shell needs them. */
export interface CompletionSpec {
  readonly commands: readonly Command[]
  /** Commands of one word (`run`), and those that have commands below them (`session`). */
  readonly singles: readonly string[]
  readonly groups: readonly Group[]
}

export interface Group {
  readonly name: string
  readonly summary: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
}

export function completionSpec(commands: readonly Command[]): CompletionSpec {
  const groups = Map.groupBy(
    commands.filter(({ name }) => name.includes(" ")),
    ({ name }) => name.slice(0, name.indexOf(" ")),
  )
  return {
    commands,
    singles: commands.filter(({ name }) => !name.includes(" ")).map(({ name }) => name),
    groups: [...groups].map(([name, below]) => {
      const tails = below.map((command) => ({ name: command.name.slice(name.length + 1), summary: command.summary }))
      return { name, summary: tails.map((tail) => tail.name).join(", "), commands: tails }
    }),
  }
}

/** A kind as one word of a script: `file`, `model`, `words:text json`; `text` for what no shell can know. */
export function kindWord(completion: Completion | undefined): string {
  if (completion === undefined) return "text"
  return typeof completion === "string" ? completion : `words:${completion.join(" ")}`
}

/** `--model`, `-m` */
export function flagNames(flag: Flag): string[] {
  return [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]
}

/** Words between single quotes, for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The `case` lines that say what the value of a flag is: `'run --model'|'run -m') kind='model' ;;` */
export function valueCases(commands: readonly Command[]): string[] {
  return commands.flatMap(({ name, flags }) =>
    flags
      .filter((flag) => flag.value !== undefined)
      .map((flag) => {
        const patterns = flagNames(flag).map((each) => quoted(`${name} ${each}`))
        return `    ${patterns.join("|")}) kind=${quoted(kindWord(flag.completion))} ;;`
      }),
  )
}

/** The `case` lines that say what the words of a command are. */
export function wordCases(commands: readonly Command[]): string[] {
  return commands.flatMap(({ name, args }) =>
    args?.completion === undefined ? [] : [`    ${quoted(name)}) kind=${quoted(kindWord(args.completion))} ;;`],
  )
}
