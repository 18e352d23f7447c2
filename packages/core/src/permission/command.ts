import { basename } from "node:path"
import type { PermissionPart } from "@cairn/schema/permission"
import { commandPrefix } from "./arity.ts"
import type { Ask } from "./ask.ts"
import {
  absolute,
  collectPaths,
  type CommandContext,
  external,
  looseWrites,
  noFacts,
  pathAsks,
  type PathFacts,
  redirectTo,
} from "./command-paths.ts"
import { hatches, isDestructive, launchers, reservedWords } from "./launchers.ts"
import { longestLine } from "./loose-words.ts"
import { realPathSync } from "./real-path.ts"
import { type Separator, type SimpleCommand, splitCommands } from "./shell-words.ts"
import { hasWildcard } from "./wildcard.ts"

export interface CommandPlan {
  /** What must be allowed before the line may run, in the order to ask it: `bash`, then paths. Never empty. */
  readonly asks: readonly Ask[]
}

/**
 * What a command line will do, as far as it can be read: one `bash` ask over every command in it, in every form a rule
 * may name it by, and one ask each for what lies outside the worktree and for what redirects read and write. A line that
 * is not plain is `opaque`: see `decideOpaque`. Looks at links on the disk; never throws.
 */
export function planCommand(line: string, context: CommandContext): CommandPlan {
  const facts = noFacts()
  const split =
    line.length > longestLine ? { ok: false as const, error: "a line longer than 64 kB" } : splitCommands(line)
  if (!split.ok) {
    for (const target of looseWrites(line)) redirectTo(target, "write", [context.cwd], context, facts)
    return { asks: [opaqueAsk(line, [], `not understood: ${split.error}`, facts), ...pathAsks(context, facts)] }
  }
  if (split.value.length === 0) return { asks: [opaqueAsk(line, [], "nothing to run", facts)] }
  const reason = walk(split.value, context, facts)
  if (reason !== undefined) return { asks: [opaqueAsk(line, split.value, reason, facts), ...pathAsks(context, facts)] }
  const { patterns, parts } = formsOf(split.value)
  const bash: Ask = {
    permission: "bash",
    patterns,
    always: facts.protected.size > 0 ? [] : alwaysOf(split.value),
    metadata: { command: line },
    parts,
    ...protection(facts),
  }
  return { asks: [bash, ...pathAsks(context, facts)] }
}

const mostWords = 1000

function opaqueAsk(line: string, commands: readonly SimpleCommand[], reason: string, facts: PathFacts): Ask {
  const plain = commands.filter((command) => opacity(command) === undefined)
  const { patterns, parts } = formsOf(plain)
  return {
    permission: "bash",
    patterns,
    always: [],
    metadata: { command: line },
    parts,
    opaque: { text: line, reason },
    ...protection(facts),
  }
}

const protection = (facts: PathFacts): Pick<Ask, "mustAsk"> =>
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

/** Goes through the commands in order, follows `cd`, and collects paths. Returns why the line cannot be understood. */
function walk(commands: readonly SimpleCommand[], context: CommandContext, facts: PathFacts): string | undefined {
  if (commands.reduce((sum, command) => sum + command.words.length, 0) > mostWords) return "a line of too many words"
  let reason: string | undefined
  // Where a command may run: more than one place when it is open whether a `cd` has worked.
  let at: readonly string[] = [context.cwd]
  let before: readonly string[] = at
  let listStart: readonly string[] = at
  for (const [index, command] of commands.entries()) {
    const after: Separator | undefined = commands[index + 1]?.before
    if (command.before === "||") at = both(before, at)
    if (command.before === ";") {
      at = both(listStart, at)
      listStart = at
    }
    reason ??= opacity(command)
    collectPaths(command, at, context, facts)
    before = at
    if (command.words[0]!.value !== "cd") continue
    const target = cdTarget(command, at, context)
    if (target === undefined) return reason ?? "a cd that cannot be followed"
    for (const place of target) external(place, context, facts)
    if (command.before !== "|" && after !== "|") at = target
    if (at.length > 8) return "too many directories to follow"
  }
  return reason
}

const both = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])]

/** Why the arguments of a command are not what will happen. */
function opacity({ words }: SimpleCommand): string | undefined {
  const [first, ...rest] = words
  const name = first!.value
  if (first!.glob && name !== "[") return "a pattern as the command"
  if (first!.plain && reservedWords.has(name)) return `the shell word ${name}`
  if (/^[A-Za-z_]\w*(?:\[.*\])?\+?=/.test(first!.raw)) return "an assignment"
  const command = basename(name)
  if (command === "") return "an empty command name"
  const launcher = launchers.get(command)
  if (launcher !== undefined) return `${command}: ${launcher}`
  const args = rest.map((word) => word.value)
  const hatch = hatches.find((one) => one.commands.includes(command) && one.opens(args))
  return hatch && `${command}: ${hatch.reason}`
}

function cdTarget({ words }: SimpleCommand, at: readonly string[], context: CommandContext): string[] | undefined {
  const args = words.slice(1).filter((word) => word.value !== "--")
  if (args.length === 0) return [context.home]
  const [word] = args
  if (args.length > 1 || word!.glob || word!.value.startsWith("-") || word!.value === "") return undefined
  const targets = at.map((cwd) => realPathSync(absolute(word!, word!.value, cwd, context)))
  return targets.every((target) => target !== undefined) ? targets : undefined
}
