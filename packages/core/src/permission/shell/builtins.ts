import { posix } from "node:path"
import type { Collected } from "./collected.ts"
import { environmentHatch } from "./environment-hatches.ts"
import { assign, both, type Flow, forgotten, type State, unknownValue } from "./state.ts"
import { digits, hasHole, type Word } from "./syntax.ts"
import type { Value } from "./word-reader.ts"

export interface Done {
  readonly flow?: Flow
  /** Why what follows is not known. */
  readonly reason?: string
  /** What it prints. */
  readonly says?: string
}

type Builtin = (collected: Collected, state: State, args: readonly Word[]) => Done

const mostPlaces = 16
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text)
const operands = (args: readonly Word[]): Word[] => args.filter((word) => !word.value.startsWith("-"))

/** Puts the directory, or each of the places that it may be. */
function changeTo(state: State, target: string): Done {
  const at = new Set<string>()
  for (const cwd of state.at) {
    const path = target.startsWith("/") ? target : `${cwd}/${target}`
    at.add(path)
    // The shell takes `..` by the name it came by; a link is followed by everybody else.
    if (/(?:^|\/)\.\.?(?:\/|$)/.test(target)) at.add(posix.normalize(path))
  }
  if (at.size + state.at.length > mostPlaces) return { reason: "too many directories to follow" }
  return { flow: { good: { ...state, at: [...at], before: state.at }, bad: state } }
}

function cd(collected: Collected, state: State, args: readonly Word[]): Done {
  const words = args.filter((word) => !/^-[LPe@]+$|^--$/.test(word.value))
  const [word] = words
  const unfollowed = { reason: "a cd that cannot be followed" }
  if (!word) return changeTo(state, collected.home)
  if (words.length > 1 || word.glob || word.many || hasHole(word.value) || word.value === "") return unfollowed
  if (word.value === "-") {
    if (!state.before) return unfollowed
    return { flow: { good: { ...state, at: state.before, before: state.at }, bad: state } }
  }
  if (word.value.startsWith("-") || word.value.startsWith("+")) return unfollowed
  return changeTo(state, word.tilde ? collected.home + word.value.slice(1) : word.value)
}

const popd: Builtin = (_, { before, ...state }, args) =>
  !before || args.length > 0 ? { reason: "a popd that cannot be followed" } : { flow: both({ ...state, at: before }) }

/** `declare` and its like, which also make a variable stand for another. */
const declareLocal: Builtin = (collected, state, args) => {
  const done = declare(collected, state, args)
  const names = args.some((word) => /^-\w*n/.test(word.value))
  return names ? { ...done, reason: "a variable that names another" } : done
}

/** `export`, `readonly`, and what all of them have in common. */
function declare(collected: Collected, state: State, args: readonly Word[]): Done {
  let after = state
  let reason: string | undefined
  const flags = args
    .filter((word) => /^[-+]/.test(word.value))
    .map((word) => word.value.slice(1))
    .join("")
  for (const word of args.filter((one) => !/^[-+]/.test(one.value))) {
    const [, name = "", operator, text = ""] = /^([A-Za-z_]\w*)(?:(\+?=)([\s\S]*))?$/.exec(word.value) ?? []
    if (name === "") {
      reason = "a name that is calculated"
      continue
    }
    const exported = new Set([...after.exported, name])
    after = { ...after, exported }
    if (operator === undefined) continue
    const tilde = text.startsWith("~/") || text === "~" ? collected.home + text.slice(1) : text
    const value: Value = operator === "=" && !word.glob ? { text: tilde } : unknownValue
    after = assign(after, name, value)
    const hatch = environmentHatch(name, hasHole(value.text) ? undefined : value.text)
    if (hatch !== undefined) reason = `${name}: ${hatch}`
    if (text.startsWith("(")) reason = "a list in a text"
  }
  // With these attributes every later value is calculated, or written in other letters.
  if (/[iluc]/.test(flags)) reason = "a variable whose values are changed"
  return { flow: both(after), ...(reason !== undefined && { reason }) }
}

const clearing: Builtin = (_, state, args) => {
  const names = operands(args).map((word) => word.value)
  if (names.some((name) => !/^[\w.:-]+$/.test(name))) return { reason: "a name that is calculated" }
  const functions = new Set([...state.functions].filter((name) => !names.includes(name)))
  const start: State = { ...state, functions }
  return { flow: both(names.filter(isName).reduce((one, name) => assign(one, name, unknownValue), start)) }
}

/** Sets the variables among its arguments to what nobody knows. `valued`: short options with a value. */
const filling =
  (valued: string, usual: string): Builtin =>
  (collected, state, args) => {
    const names: string[] = []
    for (let index = 0; index < args.length; index++) {
      const text = args[index]!.value
      if (text.startsWith("-") && valued.includes(text.at(-1)!)) index++
      else if (!text.startsWith("-")) names.push(text)
    }
    if (names.some((name) => !isName(name))) return { reason: "a name that is calculated" }
    for (const name of names) collected.sets(name)
    return {
      flow: both((names.length > 0 ? names : [usual]).reduce((one, name) => assign(one, name, unknownValue), state)),
    }
  }

const mapfile: Builtin = (collected, state, args) =>
  args.some((word) => word.value.startsWith("-C"))
    ? { reason: "it runs a text as commands" }
    : filling("dnOsucC", "MAPFILE")(collected, state, args)

function evaluate(collected: Collected, state: State, args: readonly Word[]): Done {
  const reason = "it runs a text as commands"
  const text = args.map((word) => word.value).join(" ")
  if (hasHole(text) || args.some((word) => word.many)) return { reason }
  return { flow: collected.text(text, state), reason }
}

const later = (state: State): State => ({ ...forgotten(state), later: true, positional: undefined })

function trap(collected: Collected, state: State, args: readonly Word[]): Done {
  const [first, ...signals] = args[0]?.value === "--" ? args.slice(1) : args
  if (!first || signals.length === 0 || first.value === "-" || first.value.startsWith("-")) return {}
  if (hasHole(first.value)) return { reason: "it runs a text as commands" }
  // It runs at another time, with what the variables hold then.
  collected.text(first.value, later(state))
  return {}
}

function alias(collected: Collected, state: State, args: readonly Word[]): Done {
  for (const word of args) {
    const [, name, text = ""] = /^([^=]+)=([\s\S]*)$/.exec(word.value) ?? []
    if (name === undefined) continue
    if (hasHole(word.value)) return { reason: "an alias that is only known when it runs" }
    collected.aliases.add(name)
    if (text.trim() !== "") collected.text(text, later(state))
  }
  return {}
}

const set: Builtin = (_, state, args) => {
  const values = args.map((word) => word.value)
  if (values.length === 0) return {}
  const strange = values.find((text, index) =>
    values[index - 1]?.endsWith("o") && /^[-+]/.test(values[index - 1]!)
      ? !/^(?:pipefail|errexit|nounset|xtrace|verbose|noclobber|errtrace|functrace|monitor|notify)$/.test(text)
      : /^[-+]/.test(text) && !/^(?:--|[-+][euxvCEThmbo]+)$/.test(text),
  )
  if (strange !== undefined) return { reason: "it changes what later commands mean" }
  return { flow: both({ ...state, positional: undefined }) }
}

const shopt: Builtin = (_collected, _state, args) =>
  operands(args).every((word) => /^(?:nullglob|failglob|inherit_errexit)$/.test(word.value))
    ? {}
    : { reason: "it changes what later commands mean" }

const letNumbers: Builtin = (collected, state, args) => {
  let after = state
  for (const { value } of args) {
    const names = value.match(/[A-Za-z_]\w*/g) ?? []
    const [, target] = /^([A-Za-z_]\w*)(?:=(?!=)|[-+*/%]=|\+\+|--)/.exec(value) ?? []
    if (!/^[\w\s+\-*/%=<>!&|^~?:(),]+$/.test(value)) return { reason: "a calculation with a text" }
    if (names.some((name) => name !== target && !collected.isNumber(name, after)))
      return { reason: "a calculation with a text" }
    if (target) after = assign(after, target, { text: digits })
  }
  return { flow: both(after) }
}

const shift: Builtin = (_, state) => ({ flow: both({ ...state, positional: undefined }) })

const says = (args: readonly Word[]): Done => {
  const values = args.map((word) => word.value)
  const text = values.join(" ")
  const plain = !args.some((word) => word.glob || word.many || word.tilde) && !hasHole(text)
  return plain && !text.startsWith("-") && !/[\\%]/.test(text) ? { says: text } : {}
}

const print: Builtin = (collected, state, args) => {
  if (args[0]?.value !== "-v") return args.length === 1 ? says(args) : {}
  const name = args[1]?.value ?? ""
  if (!isName(name)) return { reason: "a name that is calculated" }
  collected.sets(name)
  return { flow: both(assign(state, name, unknownValue)) }
}

const testing: Builtin = (_collected, _state, args) =>
  args.some((word, index) => /^-[vR]$/.test(word.value) && !isName(args[index + 1]?.value ?? ""))
    ? { reason: "a name that is calculated" }
    : {}

const table: Readonly<Record<string, Builtin>> = {
  cd,
  pushd: cd,
  chdir: cd,
  popd,
  export: declare,
  declare: declareLocal,
  typeset: declareLocal,
  local: declareLocal,
  readonly: declare,
  unset: clearing,
  read: filling("pdnNtuia", "REPLY"),
  mapfile,
  readarray: mapfile,
  getopts: (collected, state, args) => filling("", "OPTARG")(collected, state, args.slice(1, 2)),
  eval: evaluate,
  trap,
  alias,
  set,
  shopt,
  let: letNumbers,
  shift,
  wait: (_collected, _state, args) =>
    args.some((word) => word.value.includes("[")) ? { reason: "a name that is calculated" } : {},
  printf: print,
  echo: (_collected, _state, args) => says(args),
  pwd: (_, state) => (state.at.length === 1 ? { says: state.at[0]! } : {}),
  test: testing,
  "[": testing,
}

/** What a command of the shell itself does to what follows; undefined for a program. */
export function builtinOf(collected: Collected, state: State, name: string, args: readonly Word[]): Done | undefined {
  return Object.hasOwn(table, name) ? table[name]!(collected, state, args) : undefined
}
