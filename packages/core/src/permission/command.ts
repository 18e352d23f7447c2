import { basename } from "node:path"
import type { PermissionPart } from "@cairn/schema/permission"
import { commandPrefix } from "./arity.ts"
import type { Ask } from "./ask.ts"
import {
  absolute,
  collectPaths,
  type CommandContext,
  external,
  noFacts,
  type PathFacts,
  redirectTo,
} from "./command-paths.ts"
import { hatches, isDestructive, launchers, reservedWords } from "./launchers.ts"
import { loosePaths, looseWrites } from "./loose-paths.ts"
import { longestLine } from "./loose-words.ts"
import { pathAsks } from "./path-asks.ts"
import { realPathSync } from "./real-path.ts"
import type { Separator } from "./shell-lexer.ts"
import { type SimpleCommand, splitCommands } from "./shell-words.ts"
import { hasWildcard } from "./wildcard.ts"

export interface CommandPlan {
  /** What must be allowed before the line may run, in the order to ask it: `bash`, then paths. Never empty. */
  readonly asks: readonly Ask[]
}

/**
 * What a command line will do, as far as it can be read: one `bash` ask over every command in it, in every form a rule
 * may name it by, one each for what lies outside the worktree, for the files it reads and for those it changes. A line
 * that is not plain is `opaque`: it must be asked for unless the context is `unbounded`, see also `decideOpaque`. Looks at
 * links and names on the disk; never throws.
 */
export function planCommand(line: string, context: CommandContext): CommandPlan {
  const facts = noFacts()
  const split =
    line.length > longestLine
      ? { ok: false as const, error: "a line longer than 64 kB" }
      : splitCommands(line, { HOME: context.home, PWD: context.cwd })
  const commands = split.ok ? split.value : []
  const reason = split.ok ? reasonOf(line, commands, context, facts) : `not understood: ${split.error}`
  if (reason !== undefined) {
    if (!split.ok) for (const target of looseWrites(line)) redirectTo(target, "write", [context.cwd], context, facts)
    loosePaths(line, context, facts)
    return { asks: [opaqueAsk(line, commands, reason, context, facts), ...pathAsks(context, facts)] }
  }
  const { patterns, parts } = formsOf(commands)
  const bash: Ask = {
    permission: "bash",
    patterns,
    always: facts.protected.size > 0 ? [] : alwaysOf(commands),
    metadata: { command: line },
    parts,
    ...mustAsk(facts),
  }
  return { asks: [bash, ...pathAsks(context, facts)] }
}

/** Goes through a split line; why it is opaque after all, if it is. */
function reasonOf(
  line: string,
  commands: readonly SimpleCommand[],
  context: CommandContext,
  facts: PathFacts,
): string | undefined {
  if (commands.length === 0) return "nothing to run"
  const reason = walk(commands, context, facts)
  if (reason !== undefined || facts.unknown !== undefined) return reason ?? facts.unknown
  const moves = commands.some((command) => command.words[0]!.value === "cd")
  return moves && /\$\{?PWD/.test(line) ? "the directory in a variable, behind a cd" : undefined
}

const mostWords = 1000

function opaqueAsk(
  line: string,
  commands: readonly SimpleCommand[],
  reason: string,
  context: CommandContext,
  facts: PathFacts,
): Ask {
  const plain = commands.filter((command) => opacity(command) === undefined)
  const { patterns, parts } = formsOf(plain)
  return {
    permission: "bash",
    patterns,
    always: [],
    metadata: { command: line },
    parts,
    opaque: { text: line, reason },
    ...(context.unbounded ? {} : { mustAsk: { reason } }),
    ...mustAsk(facts),
  }
}

const mustAsk = (facts: PathFacts): Pick<Ask, "mustAsk"> =>
  facts.protected.size > 0 ? { mustAsk: { reason: [...facts.protected].join("; "), protected: true } } : {}

/** As written, as the program gets it, and by the program's own name: a rule must hold for each of them. */
function formsOf(commands: readonly SimpleCommand[]): { patterns: string[]; parts: PermissionPart[] } {
  const parts = new Map<string, PermissionPart>()
  for (const { words } of commands) {
    const argv = words.map((word) => word.value)
    const destructive = isDestructive(argv)
    const [name = "", ...rest] = argv
    const forms = [words.map((word) => word.raw).join(" "), argv.join(" "), [basename(name), ...rest].join(" ")]
    for (const text of forms) parts.set(text, { text, verdict: "ask", reason: "", ...(destructive && { destructive }) })
  }
  return { patterns: [...parts.keys()], parts: [...parts.values()] }
}

/** Normalised prefixes (`git status *`), for every command or for none. */
function alwaysOf(commands: readonly SimpleCommand[]): string[] {
  const found = new Set<string>()
  for (const { words } of commands) {
    const argv = words.map((word) => word.value)
    const exact = argv.join(" ")
    const prefix = isDestructive(argv) ? undefined : commandPrefix(argv)
    const text = prefix ? prefix.join(" ") : exact
    if (hasWildcard(text) || text.includes("\n")) return []
    const pattern = prefix ? `${text} *` : text
    found.add(pattern)
    if (argv[0]?.includes("/")) found.add(basename(argv[0]) + pattern.slice(argv[0].length))
  }
  return [...found]
}

/** Where a command may run: several places when it is open whether a `cd` has worked. */
interface Places {
  readonly at: readonly string[]
  /** At the start of the list, which a `&` puts into a shell of its own. */
  readonly start: readonly string[]
  /** Everywhere that this shell may have been. */
  readonly possible: readonly string[]
}

/** Goes through the commands in order, follows `cd`, and collects paths. Returns why the line cannot be understood. */
function walk(commands: readonly SimpleCommand[], context: CommandContext, facts: PathFacts): string | undefined {
  if (commands.reduce((sum, command) => sum + command.words.length, 0) > mostWords) return "a line of too many words"
  let reason: string | undefined
  let places: Places = { at: [context.cwd], start: [context.cwd], possible: [context.cwd] }
  const outer: Places[] = []
  for (const [index, command] of commands.entries()) {
    const after: Separator | undefined = commands[index + 1]?.before
    const { start, possible } = places
    if (command.before === "||") places = { at: possible, start, possible }
    if (command.before === ";") places = { at: possible, start: possible, possible }
    if (command.before === "&") places = { at: start, start, possible: start }
    for (let count = 0; count < command.opens; count++) {
      outer.push(places)
      places = { at: places.at, start: places.at, possible: places.at }
    }
    reason ??= opacity(command)
    collectPaths(command, places.at, context, facts)
    if (command.words[0]!.value === "cd") {
      const target = cdTarget(command, places.at, context, facts)
      if (target === undefined) return reason ?? "a cd that cannot be followed"
      for (const place of target) external(place, context, facts)
      if (command.before !== "|" && after !== "|")
        places = { ...places, at: target, possible: both(places.possible, target) }
      if (places.possible.length > 16) return reason ?? "too many directories to follow"
    }
    for (let count = 0; count < command.closes; count++) places = outer.pop() ?? places
  }
  return reason
}

const both = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])]

/** May be given `$?`: they reach nothing by it. */
const numberTakers: ReadonlySet<string> = new Set(["echo", "printf", "exit", "test", "[", "true"])

/** Why the arguments of a command are not what will happen. */
function opacity({ words }: SimpleCommand): string | undefined {
  const [first, ...rest] = words
  const name = first!.value
  if (first!.glob && name !== "[") return "a pattern as the command"
  if (first!.plain && reservedWords.has(name)) return `the shell word ${name}`
  if (/^[A-Za-z_]\w*(?:\[.*\])?\+?=/.test(first!.raw)) return "an assignment"
  const command = basename(name)
  if (command === "") return "an empty command name"
  if (words.some((word) => word.number) && !numberTakers.has(command)) return "a variable"
  const launcher = launchers.get(command)
  if (launcher !== undefined) return `${command}: ${launcher}`
  const args = rest.map((word) => word.value)
  const hatch = hatches.find((one) => one.commands.includes(command) && one.opens(args))
  return hatch && `${command}: ${hatch.reason}`
}

function cdTarget(
  { words }: SimpleCommand,
  at: readonly string[],
  context: CommandContext,
  facts: PathFacts,
): string[] | undefined {
  const args = words.slice(1).filter((word) => word.value !== "--")
  if (args.length === 0) return [context.home]
  const [word] = args
  if (args.length > 1 || word!.glob || word!.value.startsWith("-") || word!.value === "") return undefined
  const targets = at.map((cwd) => realPathSync(absolute(word!, word!.value, cwd, context), facts.links))
  return targets.every((target) => target !== undefined) ? targets : undefined
}
