import { statSync } from "node:fs"
import { basename, dirname } from "node:path"
import { contains } from "../workspace/paths.ts"
import { isProtected, userPlaces, type UserPlaces } from "../workspace/protection.ts"
import type { Ask } from "./ask.ts"
import { patternFirst, readers } from "./launchers.ts"
import { longestLine } from "./loose-words.ts"
import { realPathSync } from "./real-path.ts"
import type { Word } from "./shell-lexer.ts"
import type { SimpleCommand } from "./shell-words.ts"
import { hasWildcard } from "./wildcard.ts"

export interface CommandContext {
  /** Real paths. */
  readonly cwd: string
  readonly worktree: string
  readonly home: string
  /** Where the user's own protected files are. */
  readonly places?: UserPlaces
  /** The user's word that nothing bounds commands and that it is known: a line that cannot be read follows the `*` rule. */
  readonly unbounded?: boolean
}

/** What a line reaches, as far as it can be read. */
export interface PathFacts {
  /** Real path → the directory that is asked for. */
  readonly external: Map<string, string>
  readonly writes: Set<string>
  readonly reads: Set<string>
  /** Reasons of protected paths in arguments. */
  readonly protected: Set<string>
  places?: UserPlaces
}

export const noFacts = (): PathFacts => ({
  external: new Map(),
  writes: new Set(),
  reads: new Set(),
  protected: new Set(),
})

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

/** Notes what a command's arguments lead to. `at`: the directories it may run in. */
export function collectPaths(
  command: SimpleCommand,
  at: readonly string[],
  context: CommandContext,
  facts: PathFacts,
): void {
  for (const redirect of command.redirects) redirectTo(redirect.target, redirect.kind, at, context, facts)
  for (const word of pathWords(command)) argument(word, command, at, context, facts)
}

/** An argument that leads out of the worktree, or to a protected path that the command may change. */
function argument(
  word: Word,
  command: SimpleCommand,
  at: readonly string[],
  context: CommandContext,
  facts: PathFacts,
): void {
  const changes = !readers.has(basename(command.words[0]!.value))
  for (const text of candidates(word)) {
    if (devices.has(text)) continue
    for (const cwd of at) {
      const real = realPathSync(absolute(word, text, cwd, context))
      if (real === undefined) facts.external.set(text, text)
      else {
        external(real, context, facts)
        if (changes && mayBeProtected(real, context)) guard(real, context, facts, (row) => facts.protected.add(row))
      }
    }
  }
}

/**
 * Spares words like `build` the look at the whole table: what does not exist is no link's target, and a name that is
 * protected by itself has a dot or a capital somewhere.
 */
function mayBeProtected(real: string, { worktree }: CommandContext): boolean {
  if (worktree.includes("/.") || !contains(worktree, real)) return true
  return /[^a-z0-9_/-]/.test(real.slice(worktree.length)) || exists(real)
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

/** Where a word leads from a directory, before links are followed. */
export function absolute(word: Word, text: string, cwd: string, context: CommandContext): string {
  const home = text === "~" || text.startsWith("~/")
  if (home && (word.tilde || word.value !== text)) return context.home + text.slice(1)
  return text.startsWith("/") ? text : `${cwd}/${text}`
}

/** Notes the target of a redirect. `at`: the directories the command may run in. */
export function redirectTo(
  target: Word,
  kind: "read" | "write",
  at: readonly string[],
  context: CommandContext,
  facts: PathFacts,
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

/** Notes what lies outside the worktree. */
export function external(real: string, context: CommandContext, facts: PathFacts): void {
  if (contains(context.worktree, real) || devices.has(real)) return
  facts.external.set(real, isDirectory(real) ? real : dirname(real))
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true // cannot be looked at: better look it up
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false // cannot be looked at: then the directory that holds it is asked for
  }
}

function guard(real: string, context: CommandContext, facts: PathFacts, found: (reason: string) => void): void {
  facts.places ??= context.places ?? userPlaces({}, context.home)
  const row = isProtected(real, context.worktree, facts.places)
  if (row) found(`${real} is protected: ${row.reason}`)
}

/** One ask for everything outside, then one for each file that redirects read or write. */
export function pathAsks(context: CommandContext, facts: PathFacts): Ask[] {
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
export function looseWrites(line: string): Word[] {
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
