import { digits, hole } from "./syntax.ts"
import type { Value } from "./word-reader.ts"

/** What a shell has come to at one place of a line. Never changed: each step makes another. */
export interface State {
  /** Where it may be: several places when it is open whether a `cd` has worked. */
  readonly at: readonly string[]
  /** Where it was before the last `cd`. */
  readonly before?: readonly string[]
  readonly variables: ReadonlyMap<string, Value>
  /** Names that the line has put into the environment. */
  readonly exported: ReadonlySet<string>
  /** Functions that are sure to be defined here. */
  readonly functions: ReadonlySet<string>
  /** `$1`, `$2` …; undefined when they are not known. */
  readonly positional: readonly string[] | undefined
  /** What runs here runs when the rest of the line has: any variable may have been set by then. */
  readonly later?: boolean
}

/** Where a statement leaves the shell when it has worked, and when it has not. */
export interface Flow {
  readonly good: State
  readonly bad: State
}

export const startState = (cwd: string, positional: readonly string[] = []): State => ({
  at: [cwd],
  variables: new Map(),
  exported: new Set(),
  functions: new Set(),
  positional,
})

export const both = (state: State): Flow => ({ good: state, bad: state })
export const unknownValue: Value = { text: hole }
const number: Value = { text: digits }

export const isNumber = (text: string): boolean => /^-?[0-9\ufffe]*$/.test(text)

export function assign(state: State, name: string, value: Value): State {
  const variables = new Map(state.variables)
  variables.set(name, value)
  return { ...state, variables }
}

/** What holds after either of two ways. */
export function merge(a: State, b: State): State {
  if (a === b) return a
  return {
    at: a.at === b.at ? a.at : [...new Set([...a.at, ...b.at])],
    ...(a.before === b.before && a.before && { before: a.before }),
    variables: mergeVariables(a.variables, b.variables),
    exported: a.exported === b.exported ? a.exported : new Set([...a.exported, ...b.exported]),
    functions:
      a.functions === b.functions ? a.functions : new Set([...a.functions].filter((name) => b.functions.has(name))),
    positional: sameTexts(a.positional, b.positional) ? a.positional : undefined,
  }
}

function mergeVariables(a: State["variables"], b: State["variables"]): State["variables"] {
  if (a === b) return a
  const merged = new Map<string, Value>()
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(name), b.get(name)]
    // One of the two ways did not set it: what it holds there is what it held before the line.
    if (!one || !other) merged.set(name, unknownValue)
    else if (one.text === other.text && Boolean(one.glob) === Boolean(other.glob)) merged.set(name, one)
    else merged.set(name, isNumber(one.text) && isNumber(other.text) ? number : unknownValue)
  }
  return merged
}

const sameTexts = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.length === b.length && a.every((text, index) => text === b[index]))

/** True when a second round from `b` could find something else than one from `a`. */
export function differs(a: State, b: State): boolean {
  return a.at.join("\0") !== b.at.join("\0") || a.positional !== b.positional || variablesDiffer(a, b)
}

function variablesDiffer(a: State, b: State): boolean {
  if (a.variables === b.variables) return false
  if (a.variables.size !== b.variables.size) return true
  return [...b.variables].some(([name, value]) => a.variables.get(name)?.text !== value.text)
}

/** Whatever has changed between two states is not known any more. */
export function forget(after: State, before: State): State {
  return [...after.variables].reduce(
    (state, [name, value]) =>
      before.variables.get(name)?.text === value.text ? state : assign(state, name, unknownValue),
    after,
  )
}

/** No variable is known any more. */
export const forgotten = (state: State): State => ({
  ...state,
  variables: new Map([...state.variables.keys()].map((name) => [name, unknownValue])),
})
