import { statSync } from "node:fs"
import { basename, dirname } from "node:path"
import { contains } from "../workspace/paths.ts"
import { pathsBelow } from "./below.ts"
import { createProtection, nameMatcher, type Protection, userPlaces, type UserPlaces } from "../workspace/protection.ts"
import { expandGlob, namesIn } from "./glob-words.ts"
import { followPath, type LinkView, linkView, makeLink, realPathSync } from "./real-path.ts"
import type { Invocation } from "./shell/collected.ts"
import { patternless } from "./shell/pattern-words.ts"
import type { PathWord, WriteWord } from "./shell/roles.ts"
import { everyName, hasHole, hole, type Word, wordOf } from "./shell/syntax.ts"
import { rolesOf } from "./shell/word-roles.ts"

export interface CommandContext {
  /** Real paths. */
  readonly cwd: string
  readonly worktree: string
  readonly home: string
  /** Names of the variables that a command finds; without them each may hold something. */
  readonly environmentNames?: readonly string[]
  /** Where the user's own protected files are. */
  readonly places?: UserPlaces
  /** The user's word that nothing bounds commands and that it is known: a line that cannot be read follows the `*` rule. */
  readonly unbounded?: boolean
}

/** What a line reaches, as far as it can be read. Paths are real. */
export interface PathFacts {
  /** Path → the directory that is asked for. */
  readonly external: Map<string, string>
  /** Targets and sources of redirects. */
  readonly writes: Set<string>
  readonly reads: Set<string>
  /** What commands change, and what they read. `d/*` is everything in `d`. */
  readonly changes: Set<string>
  readonly contents: Set<string>
  /** Directories that are changed, or read, with all that is below them. */
  readonly changedTrees: Set<string>
  readonly readTrees: Set<string>
  /** Reasons of protected paths in arguments → where they are. */
  readonly protected: Map<string, string>
  /** The disk's links, and those that the line itself makes. */
  readonly links: LinkView
  /** Why not all that a line reaches could be found. */
  unknown?: string
  protection?: Protection
}

export const noFacts = (): PathFacts => ({
  external: new Map(),
  writes: new Set(),
  reads: new Set(),
  changes: new Set(),
  contents: new Set(),
  changedTrees: new Set(),
  readTrees: new Set(),
  protected: new Map(),
  links: linkView(),
})

const devices: ReadonlySet<string> = new Set(
  ["null", "zero", "stdin", "stdout", "stderr", "tty", "urandom", "random"].map((name) => `/dev/${name}`),
)

/** What a command is looked at with: where it may run, and what is known so far. */
interface Look {
  readonly at: readonly string[]
  readonly context: CommandContext
  readonly facts: PathFacts
}

/** Notes what a command's redirects and arguments lead to. */
export function collectPaths(command: Invocation, context: CommandContext, facts: PathFacts): void {
  const at = placesAt(command.at, facts)
  for (const redirect of command.redirects) redirectTo(redirect.target, redirect.kind, at, context, facts)
  const [name, ...rest] = command.words
  const args = rest.flatMap((word) => word.stands ?? [word])
  const roles = command.roles ?? rolesOf(name!.value, args)
  const outer: Look = { at, context, facts }
  const own = name!.value.includes("/") && !/^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(name!.value) ? [name!] : []
  const inside = roles.inside?.flatMap((one) => placesOf(one, outer)) ?? []
  if (roles.inside?.some(({ text }) => hasHole(text))) facts.unknown = unknownPath
  const look: Look = inside.length > 0 ? { ...outer, at: [...at, ...inside] } : outer
  const homeward = basename(name!.value) === "cd" && args.length === 0 ? [wordOf("~")] : []
  for (const word of [...own, ...homeward, ...patternless(basename(name!.value), args)])
    leaving(word, look, roles.unknown ?? false)
  for (const write of roles.writes) change(write, look)
  for (const read of roles.reads)
    contents(read, look, roles.unsure ?? roles.unknown ?? false, roles.deep ? everyName : read.word.below)
  for (const { target, write } of roles.links ?? []) link(target, write, look)
}

/** Real directories, each once. */
function placesAt(at: readonly string[], facts: PathFacts): string[] {
  return [...new Set(at.map((cwd) => realPathSync(cwd, facts.links) ?? cwd))]
}

/** A word that leads out of the worktree; of a command of which nothing is known, also one that it may change. */
function leaving(given: Word, look: Look, unknown: boolean): void {
  if (isDescriptor(given.value)) return
  const { context, facts } = look
  const word = patterned(given)
  for (const text of candidates(word)) {
    if (devices.has(text)) continue
    for (const cwd of look.at) {
      const real = realPathSync(absolutePath(word, text, cwd, context), facts.links)
      if (real === undefined) facts.external.set(text, text)
      else external(real, context, facts)
    }
  }
  // What a pattern in here leads out by is a link; of one out there the directory is enough.
  if (
    word.glob &&
    !hasHole(given.value) &&
    !placesOf({ word, text: fixedPart(word.value) || "." }, look).some((real) => !contains(context.worktree, real))
  )
    for (const real of placesOf({ word, text: word.value }, look)) external(real, context, facts)
  if (!unknown) return
  for (const text of textsOf(word))
    if (!/^[*?[]/.test(text) || !hasHole(given.value)) guardWord({ word, text, deep: true }, look)
}

/** What is not known of a word stands for anything, as a pattern does. */
const patterned = (word: Word): Word =>
  hasHole(word.value) ? { ...word, value: word.value.replace(/[\uffff\ufffe][\s\S]*$/, "*"), glob: true } : word

/** The texts in an argument that could be a path, patterns left to what holds all that they match. */
function candidates(word: Word): string[] {
  return textsOf(word)
    .map((text) => (word.glob ? fixedPart(text) : text))
    .filter((text) => text !== "")
}

/** The texts in an argument that could be a path: itself, what follows `=`, `@` or `:`, what is stuck to a short option. */
function textsOf(word: Word): string[] {
  const { value } = word
  const url = /^([a-z][a-z0-9+.-]*):\/\/([\s\S]*)$/i.exec(value)
  if (url) return url[1]!.toLowerCase() === "file" ? [url[2]!.replace(/^[^/]+(?=\/)/, "")] : []
  const texts = [value]
  const equals = value.indexOf("=")
  const stuck = /^-\w(.+)$/s.exec(value)?.[1]
  if (equals >= 0) texts.push(value.slice(equals + 1))
  if (stuck !== undefined && /^[/~.@]/.test(stuck)) texts.push(stuck)
  if (!value.includes("://"))
    texts.push(
      ...value
        .split(/[:,=]/)
        .slice(1)
        .filter((text) => /^(?:\/|~\/|\.\.?\/)/.test(text)),
    )
  texts.push(...texts.filter((text) => text.startsWith("@")).map((text) => text.slice(1)))
  return [...new Set(texts)].filter((text) => text !== "" && !text.startsWith("-"))
}

/** Where a word may lead, before links are followed: all that a pattern stands for now, or itself. */
function pathsOf({ word, text }: PathWord, { at, context, facts }: Look): string[] {
  return at.flatMap((cwd) => {
    const path = absolutePath(word, text, cwd, context)
    if (!word.glob || !/[*?[]/.test(text)) return [path]
    if (facts.links.made) facts.unknown = "a pattern behind a link that the line makes"
    const found = expandGlob(path)
    if (found === undefined) facts.unknown = "a pattern that stands for too many files"
    return found === undefined || found.length === 0 ? [path] : found
  })
}

const placesOf = (one: PathWord, look: Look): string[] =>
  pathsOf(one, look).flatMap((path) => {
    const real = realPathSync(path, look.facts.links)
    if (real === undefined) look.facts.unknown = nobodyKnows
    return real ?? []
  })

const secretFile = /\.env(?:\.|$)/

/** Files of secrets below a directory, by patterns of their names; not in what others wrote. */
function secretsBelow(directory: string, patterns: readonly string[]): string[] {
  if (patterns.length === 0) return []
  const matchers = patterns.map((pattern) => nameMatcher(pattern, true))
  return pathsBelow([directory]).paths.filter((path) => {
    const name = basename(path)
    return secretFile.test(name) && matchers.some((one) => one.test(name))
  })
}

const nobodyKnows = "a path of which nobody knows where it leads"
const unknownPath = "a path that is only known when it runs"
/** What a `<( )` or a `>( )` becomes. */
const isDescriptor = (text: string): boolean => text === `/dev/fd/${hole}`

/** A file that is read. When it is not sure that the word is a file, only what exists as a file or looks like a file of secrets. */
function contents(one: PathWord, look: Look, unsure: boolean, below: readonly string[] = []): void {
  for (const text of new Set([one.text, ...textsOf(one.word).filter((each) => each !== one.word.value)])) {
    if (text === "" || text === "-" || text.startsWith("-") || devices.has(text)) continue
    if (hasHole(text)) {
      if (!unsure && !isDescriptor(text)) look.facts.unknown = unknownPath
      continue
    }
    for (const real of placesOf({ word: one.word, text }, look)) {
      const kind = kindOf(real)
      if (devices.has(real) || (unsure && kind !== "file" && below.length === 0 && !/\.env(?:\.|$)/.test(real)))
        continue
      look.facts.contents.add(real)
      if (kind !== "directory") continue
      look.facts.contents.add(`${real}/*`)
      if (below.length > 0) look.facts.readTrees.add(real)
      for (const path of secretsBelow(real, below)) look.facts.contents.add(path)
    }
  }
}

/** A word that a command changes: what it leads to, and what comes to stand in it. */
function change(write: WriteWord, look: Look): void {
  if (devices.has(write.text)) return
  if (hasHole(write.text)) {
    if (!isDescriptor(write.text)) look.facts.unknown = unknownPath
    return
  }
  const sources = write.from?.filter(({ text }) => !hasHole(text)) ?? []
  const all = sources.length === (write.from?.length ?? 0)
  for (const path of pathsOf(write, look)) {
    const real = realPathSync(path, look.facts.links)
    if (real === undefined) look.facts.unknown = nobodyKnows
    if (real === undefined || devices.has(real)) continue
    const directory = write.into || write.text.endsWith("/") || kindOf(real) === "directory"
    if (sources.length === 0 || !directory || !all)
      changed(
        path,
        write,
        look,
        sources.some((one) => holds(one, look)),
      )
    else for (const source of sources) put(source, path, write, look)
  }
  if (write.word.glob) guardWord(write, look)
}

/** A source that is put into a directory: as an entry, or, when it ends in a slash or a dot, entry by entry. */
function put(source: PathWord, directory: string, write: WriteWord, look: Look): void {
  const flat = /(?:^|\/)\.{0,2}$/.test(source.text)
  for (const path of pathsOf(source, look)) {
    const files = kindOf(realPathSync(path, look.facts.links) ?? path) === "file"
    if (!flat) changed(`${directory}/${basename(path)}`, { ...write, deep: !files }, look, !files)
    else {
      changed(directory, write, look, true)
      for (const name of namesIn(path).slice(0, 1000)) guardPath(`${directory}/${name}`, true, false, look)
    }
  }
}

const holds = (source: PathWord, look: Look): boolean => placesOf(source, look).some((real) => kindOf(real) !== "file")

function changed(path: string, write: WriteWord, look: Look, tree: boolean): void {
  const { context, facts } = look
  const real = realPathSync(path, facts.links)
  if (real === undefined) {
    facts.external.set(path, path)
    return
  }
  external(real, context, facts)
  facts.changes.add(real)
  const directory = kindOf(real) === "directory"
  if (tree || (write.deep && directory)) facts.changes.add(`${real}/*`)
  if (directory && write.deep) facts.changedTrees.add(real)
  guardPath(path, write.deep ?? false, write.whole ?? false, look)
}

/** A link that will stand where `write` says, and leads to `target`. */
function link(target: PathWord, write: WriteWord, look: Look): void {
  if (hasHole(target.text) || hasHole(write.text)) return
  for (const path of pathsOf(write, look)) {
    const real = realPathSync(path, look.facts.links)
    if (real === undefined) continue
    const name = write.into || kindOf(real) === "directory" ? `${real}/${basename(target.text)}` : real
    for (const cwd of look.at) {
      // A hard link names its target from here, a symbolic one from where it stands: both are held for possible.
      const there =
        target.text.startsWith("/") || target.word.tilde
          ? absolutePath(target.word, target.text, cwd, look.context)
          : target.text
      makeLink(look.facts.links, name, there)
      guardPath(`${dirname(name)}/${there.startsWith("/") ? "." : there}`, true, false, look)
    }
  }
}

/** Of a path with a pattern, the directory that holds everything it can match. */
function fixedPart(value: string): string {
  const pattern = value.search(/[*?[]/)
  if (pattern < 0) return value
  const head = value.slice(0, pattern)
  const directory = head.slice(0, head.lastIndexOf("/") + 1)
  // What comes after a pattern can lead up again.
  return /(?:^|\/)\.\.(?:\/|$)/.test(value.slice(head.length))
    ? `${directory || "./"}../../../../../../../..`
    : directory
}

/** Where a word leads from a directory, before links are followed. */
export function absolutePath(word: Word, text: string, cwd: string, context: CommandContext): string {
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
  if (devices.has(target.value) || isDescriptor(target.value)) return
  if (hasHole(target.value)) {
    facts.unknown = unknownPath
    return
  }
  if (target.glob) facts.unknown = "a redirect to a pattern"
  const into = kind === "write" ? facts.writes : facts.reads
  for (const path of pathsOf({ word: target, text: target.value }, { at, context, facts })) {
    const real = realPathSync(path, facts.links)
    if (real === undefined) {
      facts.unknown = nobodyKnows
      facts.external.set(path, path)
    } else external(real, context, facts)
    into.add(real ?? path)
  }
}

/** Notes what lies outside the worktree. */
function external(real: string, context: CommandContext, facts: PathFacts): void {
  if (contains(context.worktree, real) || devices.has(real)) return
  facts.external.set(real, kindOf(real) === "directory" ? real : dirname(real))
}

type Kind = "file" | "directory"

/** Undefined for what does not exist. What cannot be looked at is taken for a file. */
function kindOf(path: string): Kind | undefined {
  try {
    const info = statSync(path, { throwIfNoEntry: false })
    return info && (info.isDirectory() ? "directory" : "file")
  } catch {
    return "file"
  }
}

/** Notes why changing what a word leads to must be asked for; of a pattern, also what it could match later. */
function guardWord(write: WriteWord, look: Look): void {
  for (const path of pathsOf(write, look)) guardPath(path, write.deep ?? false, write.whole ?? false, look)
  if (!write.word.glob) return
  const { facts, context } = look
  for (const cwd of look.at) {
    const path = absolutePath(write.word, write.text, cwd, context)
    const cut = path.slice(0, path.search(/[*?[]|$/)).lastIndexOf("/")
    const head = realPathSync(path.slice(0, cut) || "/", facts.links) ?? ""
    const row = protectionIn(look).reachedBy(head + path.slice(cut))
    if (row) facts.protected.set(`${path} may be protected: ${row.reason}`, head || "/")
  }
}

function guardPath(path: string, deep: boolean, whole: boolean, look: Look): void {
  const { context, facts } = look
  const followed = followPath(path, facts.links)
  if (!followed) return
  for (const one of [followed.real, ...followed.links]) {
    if (!mayBeProtected(one, context)) continue
    const row = protectionIn(look).of(one)
    if (row) facts.protected.set(`${one} is protected: ${row.reason}`, one)
    const below = row || !deep ? undefined : protectionIn(look).below(one)
    if (below) facts.protected.set(`${one} holds what is protected: ${below.reason}`, one)
  }
  if (whole && contains(followed.real, context.worktree))
    facts.protected.set(`${followed.real} holds the whole project`, followed.real)
}

/**
 * Spares words like `build` the look at the whole table: what does not exist is no link's target, and a name that is
 * protected by itself has a dot or a capital somewhere.
 */
function mayBeProtected(real: string, { worktree }: CommandContext): boolean {
  if (worktree.includes("/.") || !contains(worktree, real)) return true
  return /[^a-z0-9_/-]/.test(real.slice(worktree.length)) || kindOf(real) !== undefined
}

function protectionIn({ context, facts }: Pick<Look, "context" | "facts">): Protection {
  return (facts.protection ??= createProtection(context.worktree, context.places ?? userPlaces({}, context.home)))
}

/** Why writing a file must be asked for. */
export function protectedReason(real: string, context: CommandContext, facts: PathFacts): string | undefined {
  const row = protectionIn({ context, facts }).of(real)
  return row && `${real} is protected: ${row.reason}`
}

/** Notes a path that a line names without anything more being known of it. */
export function named(text: string, context: CommandContext, facts: PathFacts): void {
  const word: Word = { ...wordOf(text), glob: /[*?[]/.test(text), tilde: text.startsWith("~") }
  const look: Look = { at: [context.cwd], context, facts }
  leaving(word, look, true)
  contents({ word, text }, look, true)
}
