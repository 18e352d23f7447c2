import { statSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { PermissionPart } from "@cairn/schema/permission"
import { contains } from "../workspace/paths.ts"
import { isProtected, userPlaces, type UserPlaces } from "../workspace/protection.ts"
import { commandPrefix } from "./arity.ts"
import type { Ask } from "./ask.ts"
import { hatches, isDestructive, launchers, patternFirst, readers, reservedWords } from "./launchers.ts"
import { longestLine } from "./loose-words.ts"
import { realPathSync } from "./real-path.ts"
import { type Separator, type SimpleCommand, splitCommands, type Word } from "./shell-words.ts"
import { hasWildcard } from "./wildcard.ts"

export interface CommandContext {
  /** Real paths. */
  readonly cwd: string
  readonly worktree: string
  readonly home: string
  /** Where the user's own protected files are. */
  readonly places?: UserPlaces
}

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
  const facts: Facts = { external: new Map(), writes: new Set(), reads: new Set(), protected: new Set() }
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

interface Facts {
  /** Real path → the directory that is asked for. */
  readonly external: Map<string, string>
  readonly writes: Set<string>
  readonly reads: Set<string>
  /** Reasons of protected paths in arguments. */
  readonly protected: Set<string>
  places?: UserPlaces
}

function opaqueAsk(line: string, commands: readonly SimpleCommand[], reason: string, facts: Facts): Ask {
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

const protection = (facts: Facts): Pick<Ask, "mustAsk"> =>
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
function walk(commands: readonly SimpleCommand[], context: CommandContext, facts: Facts): string | undefined {
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
    for (const redirect of command.redirects) redirectTo(redirect.target, redirect.kind, at, context, facts)
    for (const word of pathWords(command)) argument(word, command, at, context, facts)
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

/** The words of a command that may be paths, its own name included when it is given by a path. */
function pathWords({ words }: SimpleCommand): Word[] {
  const [name, ...args] = words
  const first = patternFirst.has(basename(name!.value)) ? args.findIndex((word) => !word.value.startsWith("-")) : -1
  const own = name!.value.includes("/") && !/^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(name!.value) ? [name!] : []
  return [...own, ...args.filter((_, index) => index !== first)]
}

const devices: ReadonlySet<string> = new Set(
  ["null", "zero", "stdin", "stdout", "stderr", "tty", "urandom", "random"].map((name) => `/dev/${name}`),
)

/** An argument that leads out of the worktree, or to a protected path that the command may change. */
function argument(
  word: Word,
  command: SimpleCommand,
  at: readonly string[],
  context: CommandContext,
  facts: Facts,
): void {
  for (const text of candidates(word)) {
    if (devices.has(text)) continue
    for (const cwd of at) {
      const real = realPathSync(absolute(word, text, cwd, context))
      if (real === undefined) facts.external.set(text, text)
      else {
        external(real, context, facts)
        if (!readers.has(basename(command.words[0]!.value)))
          guard(real, context, facts, (row) => facts.protected.add(row))
      }
    }
  }
}

/** The texts in an argument that could be a path: itself, what follows `=`, what is stuck to a short option. */
function candidates(word: Word): string[] {
  const value = fixedPart(word)
  if (value === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return []
  const texts = [value]
  const equals = value.indexOf("=")
  if (equals >= 0) texts.push(value.slice(equals + 1))
  const stuck = /^-\w(.+)$/s.exec(value)?.[1]
  if (stuck !== undefined && /^[/~.]/.test(stuck)) texts.push(stuck)
  return texts.filter((text) => text !== "" && !text.startsWith("-"))
}

/** Of a path with a pattern, the directory that holds everything it can match. */
function fixedPart(word: Word): string {
  if (!word.glob) return word.value
  const head = word.value.slice(0, word.value.search(/[*?[]/))
  const directory = head.slice(0, head.lastIndexOf("/") + 1)
  // What comes after a pattern can lead up again.
  return /(?:^|\/)\.\.(?:\/|$)/.test(word.value.slice(head.length))
    ? `${directory || "./"}../../../../../../../..`
    : directory
}

function absolute(word: Word, text: string, cwd: string, context: CommandContext): string {
  const home = text === "~" || text.startsWith("~/")
  if (home && (word.tilde || word.value !== text)) return context.home + text.slice(1)
  return text.startsWith("/") ? text : `${cwd}/${text}`
}

function redirectTo(
  target: Word,
  kind: "read" | "write",
  at: readonly string[],
  context: CommandContext,
  facts: Facts,
): void {
  if (devices.has(target.value)) return
  for (const cwd of at) {
    const path = absolute(target, target.value, cwd, context)
    const real = target.glob ? undefined : realPathSync(path)
    if (real === undefined) facts.external.set(path, path)
    else external(real, context, facts)
    ;(kind === "write" ? facts.writes : facts.reads).add(real ?? path)
  }
}

function external(real: string, context: CommandContext, facts: Facts): void {
  if (contains(context.worktree, real) || devices.has(real)) return
  facts.external.set(real, isDirectory(real) ? real : dirname(real))
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false // cannot be looked at: then the directory that holds it is asked for
  }
}

function guard(real: string, context: CommandContext, facts: Facts, found: (reason: string) => void): void {
  facts.places ??= context.places ?? userPlaces({}, context.home)
  const row = isProtected(real, context.worktree, facts.places)
  if (row) found(`${real} is protected: ${row.reason}`)
}

function pathAsks(context: CommandContext, facts: Facts): Ask[] {
  const asks: Ask[] = []
  const { external: outside, writes, reads } = facts
  if (outside.size > 0) {
    const patterns = [...new Set([...outside.values()].map((directory) => `${directory === "/" ? "" : directory}/*`))]
    asks.push({
      permission: "external_directory",
      patterns,
      always: [...outside.values()].some(hasWildcard) ? [] : patterns,
      metadata: { filepath: [...outside.keys()][0], paths: [...outside.keys()] },
    })
  }
  for (const path of reads)
    asks.push({ permission: "read", patterns: [path], always: exact(path), metadata: { filepath: path } })
  for (const path of writes) {
    let reason: string | undefined
    guard(path, context, facts, (row) => (reason = row))
    asks.push({
      permission: "edit",
      patterns: [path],
      always: reason === undefined ? exact(path) : [],
      metadata: { filepath: path },
      ...(reason !== undefined && { mustAsk: { reason, protected: true } }),
    })
  }
  return asks
}

const exact = (path: string) => (hasWildcard(path) ? [] : [path])

/** Plain targets of `>` in front of a here-document: the commonest way to write a file with a line that is not plain. */
function looseWrites(line: string): Word[] {
  const [head = ""] = line.slice(0, longestLine).split(/<<-?\s*['"\\]?\w/, 1)
  const tail = /<<-?\s*(['"]?)\w+\1([^\n]*)/.exec(line.slice(0, longestLine))?.[2] ?? ""
  return [
    ...`${head}\n${tail}`.matchAll(
      /(?<![<>=\-&\w])(?:\d|&)?>>?\|?[ \t]*(?:"([^"$`\n]+)"|'([^'\n]+)'|([^\s;&|<>()'"$`]+))/g,
    ),
  ].map((match) => {
    const value = match[1] ?? match[2] ?? match[3] ?? ""
    return { raw: value, value, glob: false, tilde: match[3]?.startsWith("~") ?? false, plain: match[3] !== undefined }
  })
}
