import { posix } from "node:path"
import { Collected, cutAndParse, type Invocation, type PlacedRedirect, type ShellContext } from "./collected.ts"
import { type Flow, startState, type State } from "./state.ts"
import { digits, hasHole, hole, longestLine, type Parse, type Word } from "./syntax.ts"
import { Walker } from "./walker.ts"
import { Unreadable, unreadable } from "./word-reader.ts"
import { rolesOf } from "./word-roles.ts"

/** What a line will do, as far as it can be read before it runs. */
export interface ShellFacts {
  /** In the order in which they may run. */
  readonly invocations: readonly Invocation[]
  /** Of constructs; those of a command stand with it. */
  readonly redirects: readonly PlacedRedirect[]
  /** Paths that commands and redirects read and write: absolute, links not followed, patterns as they are. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Those among them, and the directories gone to, that do not lie below where the line begins. */
  readonly outside: readonly string[]
  /** Why it is not wholly known. */
  readonly opaque?: string
  /** Names of commands are the same in small and in capital letters. */
  readonly caseless?: boolean
}

const mostReasons = 5

/** Reads a command line. Looks at nothing but the text; never throws. */
export function shellFacts(parse: Parse, line: string, context: ShellContext): ShellFacts {
  const collected = new Collected(context, parse, walkText)
  return finish(collected, context, () => {
    if (line.length > longestLine) unreadable("a line longer than 64 kB")
    walkText(line, collected, startState(context.cwd))
  })
}

/** What has been collected when `walk` is through, however far it came. */
export function finish(collected: Collected, context: ShellContext, walk: () => void): ShellFacts {
  try {
    walk()
    if (collected.isEmpty) unreadable("nothing to run")
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    collected.reasons.add(error.message)
  }
  const { invocations, redirects, reasons } = collected
  const dynamic = invocations.some((one) => one.dynamic)
  if (dynamic && reasons.size === 0) reasons.add("a command that is only known when it runs")
  return {
    invocations,
    redirects,
    ...pathsOf(collected, context),
    ...(reasons.size > 0 && { opaque: [...reasons].slice(0, mostReasons).join("; ") }),
  }
}

function walkText(text: string, collected: Collected, state: State): Flow {
  const { root, cut } = cutAndParse(text, collected.parse)
  const flow = new Walker(cut, collected).program(root, state)
  for (const heredoc of cut.heredocs.values())
    if (!collected.hasFound(heredoc)) unreadable("a here-document that is not understood")
  return flow
}

function pathsOf({ invocations, redirects }: Collected, context: ShellContext) {
  const reads = new Set<string>()
  const writes = new Set<string>()
  const all = new Set<string>()
  const put = (into: Set<string>, word: Word, text: string, at: readonly string[]) => {
    for (const one of word.stands ?? [{ ...word, value: text }])
      for (const cwd of at) {
        const path = absolutePath(one, cwd, context.home)
        into.add(path)
        all.add(path)
      }
  }
  for (const { words, redirects: own, at, roles: given } of invocations) {
    const [name, ...args] = words
    const roles = given ?? rolesOf(name!.value, args)
    for (const { word, text } of roles.writes) put(writes, word, text, at)
    if (!roles.unknown) for (const { word, text } of roles.reads) if (!text.startsWith("-")) put(reads, word, text, at)
    for (const { kind, target } of own) put(kind === "read" ? reads : writes, target, target.value, at)
  }
  for (const { kind, target, at } of redirects) put(kind === "read" ? reads : writes, target, target.value, at)
  for (const { at } of invocations) for (const cwd of at) all.add(cwd)
  const outside = [...all].filter(
    (path) => !hasHole(path) && path !== context.cwd && !path.startsWith(`${context.cwd}/`),
  )
  return { reads: shown(reads), writes: shown(writes), outside: outside.filter((path) => !path.startsWith("/dev/")) }
}

const shown = (paths: ReadonlySet<string>): string[] =>
  [...paths].map((path) => path.replaceAll(hole, "…").replaceAll(digits, "…"))

function absolutePath(word: Word, cwd: string, home: string): string {
  const text = word.tilde ? home + word.value.slice(1) : word.value
  return posix.normalize(text.startsWith("/") ? text : `${cwd}/${text}`).replace(/(?<=.)\/$/, "")
}
