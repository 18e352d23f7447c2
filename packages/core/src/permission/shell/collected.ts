import { environmentHatch } from "./environment-hatches.ts"
import { cutHeredocs, type Heredoc, substitutionEnd } from "./heredoc.ts"
import { forget, type Flow, isNumber, type State } from "./state.ts"
import type { Roles } from "./roles.ts"
import { digits, hole, type Parse, type Redirect, type Word } from "./syntax.ts"
import { unreadable, Unreadable, type Value } from "./word-reader.ts"

/** A text of `named` by which only a rule allows that says this much of it: `npm exec` of `npm exec eslint`. */
export interface Launched {
  readonly text: string
  readonly prefix: string
}

/** One program that a line starts, or a builtin that does something. */
export interface Invocation {
  /** As it stands in the line. */
  readonly text: string
  /** As the program gets it; what is not known stands as it is written. */
  readonly argv: readonly string[]
  readonly executable: string
  readonly basename: string
  /** The first of the places it may run in. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Which program it is shows only when it runs. */
  readonly dynamic: boolean
  /** What could be lost by it. */
  readonly destructive?: string
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  readonly at: readonly string[]
  /** Texts by which a rule may allow it; unknown parts are holes. */
  readonly named: readonly string[]
  readonly launched?: readonly Launched[]
  /** Texts by which a rule may only deny it, or want it asked for. */
  readonly also: readonly string[]
  /** Texts of which nobody knows whether it runs them as commands. */
  readonly maybe?: readonly string[]
  /** It does nothing by itself: beside others it needs no rule. */
  readonly free: boolean
  /** What its words are to it, where its name does not say so. */
  readonly roles?: Roles
}

export interface PlacedRedirect extends Redirect {
  readonly at: readonly string[]
}

export interface ShellContext {
  readonly cwd: string
  readonly home: string
  /** Names that the environment sets. Without them every variable may hold something. */
  readonly environmentNames?: readonly string[]
}

/** Where the lines of a pipe come from: files below these paths. */
export type Source = readonly Word[] | "unknown"

const mostSteps = 5000
const mostInvocations = 1000
const deepest = 20

/** Numbers that the shell itself keeps. */
const numbers: ReadonlySet<string> = new Set(
  "? $ ! # RANDOM SRANDOM SECONDS LINENO UID EUID PPID BASHPID OPTIND COLUMNS LINES EPOCHSECONDS SHLVL".split(" "),
)
const setByShell =
  /^(?:BASH\w*|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|OLDPWD|PATH|SHELL|TERM|PS[0-4]|OPTARG|REPLY|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|SHELLOPTS|LANG|_|IFS|0|-)$/

/** Goes through a text as the shell does: `commands.ts` hands in how. */
export type WalkText = (text: string, collected: Collected, state: State) => Flow

/** What is found on the way through a line, within bounds. */
export class Collected {
  readonly invocations: Invocation[] = []
  readonly redirects: PlacedRedirect[] = []
  /** Why the line is not wholly known. */
  readonly reasons = new Set<string>()
  readonly functions = new Map<string, (state: State) => Flow>()
  readonly aliases = new Set<string>()
  /** What the command that is looked at gets, and passes on. */
  input: Source | undefined
  output: Source | undefined
  /** What the last command says, where that is plain. */
  said: string | undefined
  /** The here-document of the command that is looked at, where it is plain. */
  document: string | undefined
  /** What would name the command has become nothing. */
  vanished = false
  #steps = 0
  #depth = 0
  readonly #running = new Set<string>()
  readonly #found = new Set<Heredoc>()
  readonly #names: ReadonlySet<string> | undefined

  constructor(
    readonly context: ShellContext,
    readonly parse: Parse,
    private readonly walk: WalkText,
  ) {
    this.#names = context.environmentNames && new Set(context.environmentNames)
  }

  get home(): string {
    return this.context.home
  }

  step(): void {
    if (++this.#steps > mostSteps) unreadable("too many parts")
  }

  /** No statement has been met. */
  get isEmpty(): boolean {
    return this.#steps === 0
  }

  add(invocation: Invocation): void {
    if (this.invocations.length >= mostInvocations) unreadable("too many parts")
    this.invocations.push(invocation)
  }

  redirect(redirect: Redirect, state: State): void {
    this.redirects.push({ ...redirect, at: state.at })
  }

  /** Runs something deeper in the line. */
  nested<T>(run: () => T): T {
    if (++this.#depth > deepest) unreadable("too deep a nesting")
    try {
      return run()
    } finally {
      this.#depth--
    }
  }

  /** Goes through a text that is run as commands; what cannot be read of it is noted. */
  text(text: string, state: State): Flow {
    return this.nested(() => {
      try {
        return this.walk(text, this, state)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        this.reasons.add(error.message)
        return { good: state, bad: state }
      }
    })
  }

  define(name: string, call: (state: State) => Flow): void {
    const earlier = this.functions.get(name)
    this.functions.set(name, earlier ? (state) => (earlier(state), call(state)) : call)
  }

  /** Runs a function's body, unless it runs already. */
  calling(name: string, run: () => Flow): Flow | undefined {
    if (this.#running.has(name)) return undefined
    this.#running.add(name)
    try {
      return this.nested(run)
    } finally {
      this.#running.delete(name)
    }
  }

  /** What a function's call leaves: it may have variables of its own, so what it sets is not known. */
  call(name: string, args: readonly string[] | undefined, state: State): Flow {
    const body = this.functions.get(name)!
    const flow = this.calling(name, () => body({ ...state, positional: args }))
    if (!flow) return { good: state, bad: state }
    const back = (after: State): State => ({ ...forget(after, state), positional: state.positional })
    return { good: back(flow.good), bad: back(flow.bad) }
  }

  variable(name: string, state: State): Value {
    const known = state.variables.get(name)
    if (known) return known
    if (/^[1-9]\d*$/.test(name)) {
      if (state.positional === undefined) return { text: hole }
      return { text: state.positional[Number(name) - 1] ?? "" }
    }
    if (name === "HOME") return { text: this.context.home }
    if (name === "PWD" && state.at.length === 1) return { text: state.at[0]! }
    if (numbers.has(name)) return { text: digits }
    if (name === "PWD" || state.later || setByShell.test(name)) return { text: hole }
    return { text: this.#names && !this.#names.has(name) ? "" : hole }
  }

  /** The state that a shell begins with which this one starts: it gets what is exported, and nothing else. */
  child(state: State, assignments: ReadonlyMap<string, Value> | undefined, positional: State["positional"]): State {
    const variables = new Map<string, Value>()
    for (const [name, value] of state.variables) {
      if (state.exported.has(name) || this.#names?.has(name)) variables.set(name, value)
      // Whether the environment had it, so that it is handed on, is not known.
      else if (!this.#names) variables.set(name, { text: hole })
    }
    for (const [name, value] of assignments ?? []) variables.set(name, value)
    return { at: state.at, variables, exported: new Set(variables.keys()), functions: new Set(), positional }
  }

  /** Notes that a variable gets a value that is not looked at. */
  sets(name: string): void {
    const reason = environmentHatch(name, undefined)
    if (reason !== undefined) this.reasons.add(`${name}: ${reason}`)
  }

  /** Is a variable sure to hold a number? */
  isNumber(name: string, state: State): boolean {
    return isNumber(this.variable(name, state).text)
  }

  found(heredoc: Heredoc): void {
    this.#found.add(heredoc)
  }

  hasFound(heredoc: Heredoc): boolean {
    return this.#found.has(heredoc)
  }

  /** Goes through what a here-document runs. */
  heredoc({ body, quoted }: Heredoc, state: State): void {
    this.document = undefined
    if (quoted || !/[$`\\]/.test(body)) {
      this.document = body
      return
    }
    for (let at = 0; at < body.length;) {
      const char = body[at]!
      if (char === "\\") at += 2
      else if (char === "`") {
        let end = at + 1
        while (end < body.length && body[end] !== "`") end += body[end] === "\\" ? 2 : 1
        if (end >= body.length || body.slice(at, end).includes("\\")) unreadable("an escape in backticks")
        this.text(body.slice(at + 1, end), state)
        at = end + 1
      } else if (body.startsWith("$((", at) || body.startsWith("$[", at)) unreadable("a calculation in a here-document")
      else if (body.startsWith("$(", at)) {
        const end = substitutionEnd(body, at + 2) ?? unreadable("an open substitution")
        this.text(body.slice(at + 2, end), state)
        at = end + 1
      } else if (body.startsWith("${", at)) {
        if (!/^\$\{#?\w+(?::?[-+?][\w ./:@%+,=-]*)?\}/.test(body.slice(at, at + 300)))
          unreadable("an expansion that is not understood")
        at += 2
      } else at++
    }
  }
}

/** The usual way of `WalkText`, from a text to a tree. */
export function cutAndParse(text: string, parse: Parse) {
  const odd = oddity(text)
  if (odd !== undefined) return unreadable(odd)
  const cut = cutHeredocs(text)
  if (!cut.ok) return unreadable(cut.error)
  const parsed = parse(cut.value.text)
  if (!parsed.ok) return unreadable(parsed.reason)
  return { cut: cut.value, root: parsed.root }
}

/** Characters that make a line look like another one. */
export function oddity(text: string): string | undefined {
  if (text.includes("\0")) return "a NUL character"
  if (!text.isWellFormed() || text.includes(hole) || text.includes(digits)) return "a text that is not valid Unicode"
  if (/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/.test(text))
    return "hidden marks that change the direction of text"
  return undefined
}
