import { err, ok, type Result } from "@cairn/kernel/result"
import type { Command, Flag, Input, UsageError } from "./define.ts"
import { nearest } from "./nearest.ts"

/** What a command line asks for. */
export type Request =
  | { readonly kind: "run"; readonly command: Command; readonly input: Input }
  /** Help of a command (`session list`), of a group (`session`), or of everything (empty). */
  | { readonly kind: "help"; readonly topic: string }
  | { readonly kind: "version" }

/** Finds the command and parses its flags. Never reads anything but its arguments. */
export function parseArgv(commands: readonly Command[], argv: readonly string[]): Result<Request, UsageError> {
  const first = argv[0]
  if (first === undefined || first === "--help" || first === "-h") return ok({ kind: "help", topic: "" })
  if (first === "--version" || first === "-v") return ok({ kind: "version" })
  if (first === "help") return help(commands, argv.slice(1))
  if (first.startsWith("-")) return err({ message: `unknown flag ${quote(first)}: flags stand after the command` })
  const found = findCommand(commands, argv)
  if (!found.ok) return found
  if (found.value.command === undefined) return ok({ kind: "help", topic: found.value.topic })
  return parseCommand(found.value.command, found.value.rest)
}

type Found = { command: Command; rest: readonly string[] } | { command?: undefined; topic: string }

function findCommand(commands: readonly Command[], argv: readonly string[]): Result<Found, UsageError> {
  const [first = "", second] = argv
  const single = commands.find((command) => command.name === first)
  if (single) return ok({ command: single, rest: argv.slice(1) })
  const group = commands.filter((command) => command.name.startsWith(`${first} `))
  if (group.length === 0) {
    const heads = [...new Set(commands.map((command) => command.name.split(" ")[0] ?? ""))]
    return err({ message: `unknown command ${quote(first)}${didYouMean(first, heads)}` })
  }
  if (second === "--help" || second === "-h") return ok({ topic: first })
  const tails = group.map((command) => command.name.slice(first.length + 1))
  if (second === undefined) {
    return err({ message: `${quote(first)} needs a subcommand: ${tails.join(", ")}`, command: first })
  }
  const command = group[tails.indexOf(second)]
  if (command) return ok({ command, rest: argv.slice(2) })
  return err({ message: `unknown command ${quote(`${first} ${second}`)}${didYouMean(second, tails)}`, command: first })
}

function help(commands: readonly Command[], words: readonly string[]): Result<Request, UsageError> {
  const topic = words.join(" ")
  const known =
    topic === "" || commands.some((command) => command.name === topic || command.name.startsWith(`${topic} `))
  if (known) return ok({ kind: "help", topic })
  const names = commands.map((command) => command.name)
  return err({ message: `unknown command ${quote(topic)}${didYouMean(topic, names)}` })
}

/** Parses what stands after the name of `command`. `--` ends flags. */
export function parseCommand(command: Command, argv: readonly string[]): Result<Request, UsageError> {
  const values = new Map<Flag, unknown[]>()
  const words: string[] = []
  const fail = (message: string) => err({ message, command: command.name })
  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] ?? ""
    if (token === "--") {
      words.push(...argv.slice(index + 1))
      break
    }
    if (token === "--help" || token === "-h") return ok({ kind: "help", topic: command.name })
    if (!token.startsWith("-") || token === "-") {
      words.push(token)
      continue
    }
    const option = readOption(command, token)
    if (!option.ok) return fail(option.error)
    const { flag } = option.value
    let text = option.value.text
    if (flag.value !== undefined && text === undefined) {
      text = argv[++index]
      if (text === undefined) return fail(`--${flag.name} needs a value: --${flag.name} <${flag.value}>`)
    }
    const given = values.get(flag) ?? []
    if (given.length > 0 && !flag.repeatable) return fail(`--${flag.name} was given twice`)
    const parsed = flag.parse(text ?? "true")
    if (!parsed.ok) return fail(`--${flag.name}: ${parsed.error}`)
    values.set(flag, [...given, parsed.value])
  }
  const wrong = checkWords(command, words)
  if (wrong !== undefined) return fail(wrong)
  return ok({ kind: "run", command, input: input(words, values) })
}

function readOption(command: Command, token: string): Result<{ flag: Flag; text: string | undefined }, string> {
  const long = token.startsWith("--")
  const equals = token.indexOf("=")
  const name = (equals < 0 ? token : token.slice(0, equals)).replace(/^--?/, "")
  const text = equals < 0 ? undefined : token.slice(equals + 1)
  const flag = command.flags.find((candidate) => (long ? candidate.name : candidate.short) === name)
  if (flag) return ok({ flag, text })
  const names = command.flags.map((candidate) => candidate.name)
  const near = nearest(name, names)
  const hint = near === undefined ? `; if it is part of the text, put -- before it` : `: did you mean --${near}?`
  return err(`unknown flag ${quote(token)}${hint}`)
}

function checkWords(command: Command, words: readonly string[]): string | undefined {
  const args = command.args
  if (!args) return words.length === 0 ? undefined : `unexpected ${quote(words[0] ?? "")}`
  if (words.length < args.min) return `${args.usage} is missing`
  if (words.length > args.max) return `unexpected ${quote(words[args.max] ?? "")}`
  return undefined
}

function input(words: readonly string[], values: ReadonlyMap<Flag, readonly unknown[]>): Input {
  // The map holds under each flag only what that flag's own `parse` returned.
  const all = <T>(flag: Flag<T>) => (values.get(flag as Flag) ?? []) as readonly T[]
  return { words, all, get: (flag) => all(flag).at(-1) }
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates)
  return near === undefined ? `; known: ${candidates.join(", ")}` : `: did you mean ${quote(near)}?`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
