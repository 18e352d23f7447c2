import { basename } from "node:path"
import type { Threat } from "../workspace/history/threat.ts"
import type { Ask, CommandPart } from "./ask.ts"
import {
  collectPaths,
  type CommandContext,
  noFacts,
  type PathFacts,
  protectedReason,
  redirectTo,
} from "./command-paths.ts"
import { loosePaths, looseWrites } from "./loose-paths.ts"
import { ownScript, runsOwnScript } from "./own-scripts.ts"
import { pathAsks } from "./path-asks.ts"
import { commandPrefix } from "./shell/arity.ts"
import type { Invocation } from "./shell/collected.ts"
import { shellFacts, type ShellFacts } from "./shell/facts.ts"
import { hasHole, type Parse } from "./shell/syntax.ts"
import { threatsOf } from "./threats.ts"
import { hasWildcard } from "./wildcard.ts"

export interface CommandPlan {
  /** What must be allowed before the line may run, in the order to ask it: `bash`, then paths. Never empty. */
  readonly asks: readonly Ask[]
  readonly facts: ShellFacts
  /** Real paths outside the worktree. */
  readonly outside: readonly string[]
  /** What is protected and that the line names: it, what lies in it, or what holds it. */
  readonly protected: readonly string[]
  /** What of the line could destroy files that nothing else has. */
  readonly threats: readonly Threat[]
}

/**
 * What a command line will do, as far as it can be read: one `bash` ask over every command in it, in every form a rule
 * may name it by, one each for what lies outside the worktree, for the files it reads and for those it changes. A line
 * that is not wholly known is `opaque`: it must be asked for unless the context is `unbounded`, see also `decideOpaque`.
 * Looks at links and names on the disk; never throws.
 */
export function planCommand(parse: Parse, line: string, context: CommandContext): CommandPlan {
  return planFacts(shellFacts(parse, line, context), line, context)
}

/** The same for a line that has been read already, of whatever shell. */
export function planFacts(facts: ShellFacts, line: string, context: CommandContext): CommandPlan {
  const paths = noFacts()
  for (const invocation of facts.invocations) collectPaths(invocation, context, paths)
  for (const { kind, target, at } of facts.redirects) redirectTo(target, kind, at, context, paths)
  if (runsOwnScript(facts.invocations, paths.writes, context, paths)) paths.unknown = ownScript
  const reason = facts.opaque ?? paths.unknown
  if (reason !== undefined) {
    // Where names are the same in any letters, a backslash parts them.
    const loose = facts.caseless ? line.replaceAll("\\", "/") : line
    for (const target of looseWrites(loose)) redirectTo(target, "write", [context.cwd], context, paths)
    loosePaths(loose, context, paths)
  }
  const commands = partsOf(facts, line)
  const known = reason === undefined
  const bash: Ask = {
    permission: "bash",
    patterns: [...new Set(commands.map((part) => part.text))],
    always: known && paths.protected.size === 0 ? alwaysOf(facts.invocations) : [],
    metadata: { command: line },
    commands,
    ...(known ? {} : { opaque: { text: line, reason } }),
    ...(known || context.unbounded ? {} : { mustAsk: { reason } }),
    ...mustAsk(paths),
  }
  const threats = facts.invocations.flatMap((invocation) => threatsOf(invocation, context, paths.links))
  const redirected = [...paths.writes].filter((path) => protectedReason(path, context, paths) !== undefined)
  return {
    ...{ asks: [bash, ...pathAsks(context, paths)], facts, threats },
    outside: [...paths.external.keys()],
    protected: [...paths.protected.values(), ...redirected],
  }
}

/** The asks with what would be lost in the words of the commands that would lose it. `losses` by the command's text. */
export function withLosses(asks: readonly Ask[], losses: ReadonlyMap<string, string>): Ask[] {
  if (losses.size === 0) return [...asks]
  return asks.map((ask) => {
    const commands = ask.commands?.map((part) => {
      const loss = losses.get(part.text)
      return part.destructive === undefined || loss === undefined
        ? part
        : { ...part, destructive: `${part.destructive}: ${loss}` }
    })
    return commands ? { ...ask, commands } : ask
  })
}

const mustAsk = (paths: PathFacts): Pick<Ask, "mustAsk"> =>
  paths.protected.size > 0 ? { mustAsk: { reason: [...paths.protected.keys()].join("; "), protected: true } } : {}

/** Each command once. A line without any, such as an assignment, is a part of its own. */
function partsOf({ invocations, caseless }: ShellFacts, line: string): CommandPart[] {
  const parts = new Map<string, CommandPart>()
  for (const { text, named, launched, maybe, also, free, destructive } of invocations) {
    const key = [text, ...named, "", ...also].join("\n")
    parts.set(key, {
      ...{ text, named, also, free },
      ...(launched && { launched }),
      ...(maybe && { maybe }),
      ...(destructive !== undefined && { destructive }),
      ...(caseless && { caseless }),
    })
  }
  if (invocations.length === 0 && line.trim() !== "")
    return [{ text: line.trim(), named: [line.trim()], also: [], free: false }]
  return [...parts.values()]
}

/** Normalised prefixes (`git status *`), for every command or for none. */
function alwaysOf(invocations: readonly Invocation[]): string[] {
  const found = new Set<string>()
  const some = invocations.filter((one) => !one.free)
  for (const { words, destructive, named } of some) {
    const argv = words.map((word) => word.value)
    const prefix = destructive === undefined ? commandPrefix(argv) : undefined
    const text = prefix ? prefix.join(" ") : (named.find((one) => !hasHole(one)) ?? "")
    if (text === "" || hasWildcard(text) || hasHole(text) || text.includes("\n")) return []
    const pattern = prefix ? `${text} *` : text
    found.add(pattern)
    if (argv[0]?.includes("/")) found.add(basename(argv[0]) + pattern.slice(argv[0].length))
  }
  return [...found]
}
