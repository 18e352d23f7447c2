import { builtinOf } from "./builtins.ts"
import type { Collected, Invocation, Launched } from "./collected.ts"
import { destructiveReason } from "./destructive.ts"
import { environmentHatch } from "./environment-hatches.ts"
import { execOf, startPaths } from "./find-command.ts"
import { isKnown } from "./known-programs.ts"
import { hatchReason, isFree, isShell, launchers, listsFiles, passesOn } from "./launchers.ts"
import { assign, both, type Flow, forgotten, type State, unknownValue } from "./state.ts"
import { digits, hasHole, hole, type Redirect, type Word } from "./syntax.ts"
import { shellText } from "./shell-text.ts"
import { withoutLeadingOptions } from "./arity.ts"
import { withoutQuietOptions } from "./quiet-options.ts"
import { unwrap } from "./unwrap.ts"
import { unreadable, type Value } from "./word-reader.ts"
import { wrapperOf } from "./wrappers.ts"
import { xargsCommand } from "./xargs-command.ts"

/** A simple command, read. */
export interface Run {
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  /** As it stands in the line, without redirects. */
  readonly text: string
  readonly assignments?: ReadonlyMap<string, Value>
  /** Texts by which a rule may only deny it, from the wrappers around it. */
  readonly also?: readonly string[]
  /** Texts by which a rule may allow it too, from what launches it. */
  readonly launched?: readonly Launched[]
  /** It runs where these names mean something else. */
  readonly wrapped?: boolean
}

/** Notes what a command does, in every form it has, and says where it leaves the shell. */
export function runCommand(collected: Collected, state: State, run: Run): Flow {
  const document = collected.document
  const input = collected.input
  collected.document = undefined
  collected.output = collected.said = undefined
  const assigned = run.assignments ?? new Map<string, Value>()
  const [first] = run.words
  for (const [name, value] of assigned)
    // Only this one command splits by it.
    if (name !== "IFS" || first?.value !== "read") noteVariable(collected, name, value)
  if (!first) {
    for (const redirect of run.redirects) collected.redirect(redirect, state)
    return both([...assigned].reduce((one, [name, value]) => assign(one, name, value), state))
  }
  const flow = resolve(collected, state, run, document)
  collected.input = input
  return flow
}

function noteVariable(collected: Collected, name: string, value: Value): void {
  const reason = environmentHatch(name, hasHole(value.text) ? undefined : value.text)
  if (reason !== undefined) collected.reasons.add(`${name}: ${reason}`)
}

function resolve(collected: Collected, state: State, run: Run, document: string | undefined): Flow {
  collected.step()
  const [first, ...args] = run.words
  const name = first!.value
  const problem = nameProblem(first!)
  if (problem !== undefined) {
    collected.reasons.add(problem)
    emit(collected, state, run, { dynamic: true })
    return both(state)
  }
  if (namedFromOutside(first!, state)) collected.reasons.add("a variable as the command")
  if (!run.wrapped && collected.aliases.has(name)) collected.reasons.add(`${name}: the line makes it an alias`)
  if (!run.wrapped && collected.functions.has(name)) {
    const flow = collected.call(
      name,
      args.some((word) => word.many || word.glob) ? undefined : args.map((word) => word.value),
      state,
    )
    if (state.functions.has(name)) {
      emit(collected, state, run, { own: true })
      return flow
    }
  }
  const command = basenameOf(name)
  const wrapped = unwrapped(collected, state, run, command, document)
  if (wrapped) return wrapped
  const inner = innerText(command, args, document)
  if (inner !== undefined) {
    emit(collected, state, run, { shell: true, own: inner !== "opaque" })
    if (inner === "opaque") collected.reasons.add(`${command}: the shell runs a text or its input`)
    else collected.text(inner.text, collected.child(state, run.assignments, inner.args))
    return both(state)
  }
  const builtin = builtinOf(collected, state, command, args)
  if (builtin?.reason !== undefined) collected.reasons.add(`${command}: ${builtin.reason}`)
  emit(collected, state, run, {})
  if (listsFiles(command, args)) collected.output = startPaths(command, args)
  else if (passesOn(command, args)) collected.output = collected.input
  if (command === "cat" && args.length === 0 && document !== undefined) collected.said = document.replace(/\n+$/, "")
  if (builtin?.says !== undefined) collected.said = builtin.says
  else if (saysNumber(command, args)) collected.said = digits
  return builtin?.flow ?? both(state)
}

const reserved: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac select function in { } [[ ]] !".split(" "),
)

function nameProblem(first: Word): string | undefined {
  const name = first.value
  if (first.plain && reserved.has(name)) return `the shell word ${name}`
  if (hasHole(name) || first.many) return "a variable as the command"
  if (first.glob && name !== "[" && name !== "[[") return "a pattern as the command"
  if (basenameOf(name) === "") return "an empty command name"
  if (/[\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u.test(name.replaceAll(" ", "")))
    return "hidden characters in the command's name"
  if (/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(first.raw)) return "an assignment that is not understood"
  if (name.startsWith("=")) return "a command name that another shell would replace"
  return undefined
}

/** Does the name hold a variable that the line has not set? Somebody may have set it after all. */
function namedFromOutside({ raw }: Word, state: State): boolean {
  if (raw.startsWith("'")) return false
  return [...raw.matchAll(/\$\{?([A-Za-z_]\w*)/g)].some(
    ([, name = ""]) => !state.variables.has(name) && name !== "HOME" && name !== "PWD",
  )
}

/** Commands that print a number and nothing else. */
function saysNumber(command: string, args: readonly Word[]): boolean {
  const text = [command, ...args.map((word) => word.value)].join(" ")
  return /^(?:nproc|id -[ug]|date \+%s|sysctl -n hw\.\w*cpu|getconf _NPROCESSORS_ONLN)$/.test(text)
}

/** What the command runs itself: a wrapper's command, that of `xargs` or of `find -exec`. */
function unwrapped(
  collected: Collected,
  state: State,
  run: Run,
  command: string,
  document: string | undefined,
): Flow | undefined {
  const args = run.words.slice(1)
  if (command === "command" && /^-\w*[vV]/.test(args[0]?.value ?? "")) {
    emit(collected, state, run, {})
    return both(state)
  }
  if (command === "xargs" || command === "gxargs") return runXargs(collected, state, run)
  if (command === "find" || command === "gfind") return runFind(collected, state, run)
  const wrapper = wrapperOf(
    command,
    args.map((word) => word.value),
  )
  if (!wrapper) return undefined
  const { row, from } = wrapper
  const found = unwrap(row, args.slice(from))
  if (found.kind === "opaque" && (row.kind !== "elsewhere" || row.opaque === "*")) collected.reasons.add(found.reason)
  if (found.kind !== "command") {
    emit(collected, state, run, {})
    return both(state)
  }
  for (const [name, value] of found.assignments) noteVariable(collected, name, { text: value })
  const inner = inside(run, found.words)
  const outer = formsOf(run)
  if (row.kind === "elsewhere") {
    emit(collected, state, { ...run, also: [...(run.also ?? []), ...formsOf(inner)] }, {})
    return both(state)
  }
  // Of what stands around it they may hand on nothing.
  const clears = row.kind === "elevated" || (row.name === "env" && (args[0]?.value.startsWith("-") ?? false))
  const within = clears ? forgotten(state) : state
  const assignments = new Map([
    ...[...(run.assignments ?? [])].map(([name, value]): [string, Value] => [name, clears ? unknownValue : value]),
    ...found.assignments.map(([name, text]): [string, Value] => [name, { text }]),
  ])
  const keepsFunctions = command === "time"
  const next: Run = { ...inner, text: run.text, assignments, wrapped: run.wrapped || !keepsFunctions }
  collected.document = document
  if (row.kind === "same") {
    const there = found.directory ? moved(within, found.directory, collected) : within
    const flow = resolve(collected, there, { ...next, also: [...(run.also ?? []), ...outer] }, document)
    return command === "command" || command === "builtin" ? flow : both(state)
  }
  if (row.kind === "runner") {
    // A rule for all that the launcher can do says nothing of what it launches.
    const prefix = [command, ...(row.words ?? [])].join(" ")
    const launched = outer.map((text) => ({ text, prefix }))
    resolve(collected, state, { ...next, launched: [...(run.launched ?? []), ...launched] }, document)
    return both(state)
  }
  emit(collected, state, { ...run, redirects: [] }, { own: true })
  resolve(collected, within, { ...next, text: inner.text }, document)
  return both(state)
}

function moved(state: State, directory: Word, collected: Collected): State {
  if (hasHole(directory.value) || directory.glob) return unreadable("a directory that is only known when it runs")
  const { value } = directory
  const to = directory.tilde ? collected.home + value.slice(1) : value
  return { ...state, at: to.startsWith("/") ? [to] : state.at.map((cwd) => `${cwd}/${to}`) }
}

/** A command among the words of another. */
function inside(run: Run, words: readonly Word[]): Run {
  return { words, redirects: run.redirects, text: rawText(words) }
}

function runXargs(collected: Collected, state: State, run: Run): Flow {
  const source = collected.input
  const stands = Array.isArray(source) ? (source as readonly Word[]) : undefined
  const found = xargsCommand(run.words.slice(1), stands)
  if (typeof found === "string") {
    collected.reasons.add(`xargs: ${found}`)
    emit(collected, state, run, {})
    return both(state)
  }
  const outer = formsOf(run)
  resolve(
    collected,
    state,
    { ...inside(run, found), text: run.text, also: [...(run.also ?? []), ...outer], wrapped: true },
    undefined,
  )
  return both(state)
}

function runFind(collected: Collected, state: State, run: Run): Flow {
  const args = run.words.slice(1)
  const { own, commands, problem } = execOf(args)
  if (problem !== undefined) collected.reasons.add(`find: ${problem}`)
  emit(collected, state, run, { find: own })
  for (const { words, directories } of commands) {
    const there = directories ? { ...state, at: [...state.at, ...state.at.map((cwd) => `${cwd}/${hole}`)] } : state
    resolve(collected, directories ? state : there, { ...inside(run, words), redirects: [], wrapped: true }, undefined)
  }
  collected.output = startPaths("find", own)
  return both(state)
}

function innerText(command: string, args: readonly Word[], document: string | undefined) {
  if (!isShell(command)) return undefined
  return shellText(command, args, document)
}

interface Emission {
  readonly dynamic?: boolean
  /** Only its own name counts: what it runs is noted apart. */
  readonly own?: boolean
  /** A shell whose text is gone through. */
  readonly shell?: boolean
  /** The words of `find` that are not those of other commands. */
  readonly find?: readonly Word[]
}

function emit(
  collected: Collected,
  state: State,
  run: Run,
  { dynamic = false, own, shell = false, find }: Emission,
): void {
  const [first, ...args] = run.words
  const name = first!.value
  const command = basenameOf(name)
  const values = args.map((word) => word.value)
  if (!own && !dynamic) {
    const launcher = launchers.get(command)
    const reason = launcher ?? (shell ? undefined : hatchReason(command, find ?? args))
    if (reason !== undefined) collected.reasons.add(`${command}: ${reason}`)
  }
  const lost = destructiveReason(command, values)
  const launched = run.launched ?? []
  const free = !run.launched && isFree(command, values)
  const invocation: Invocation = {
    text: run.text,
    argv: run.words.map(shown),
    executable: name,
    basename: command,
    cwd: state.at[0] ?? "",
    env: Object.fromEntries([...(run.assignments ?? [])].map(([key, value]) => [key, value.text])),
    dynamic,
    ...(lost !== undefined && { destructive: lost }),
    words: own ? [first!] : find ? [first!, ...find] : run.words,
    redirects: run.redirects,
    at: state.at,
    named: [...new Set([...formsOf(run), ...launched.map(({ text }) => text)])],
    ...(launched.length > 0 && { launched }),
    also: [...new Set([...alsoOf(run), ...(run.also ?? [])])],
    ...(!own && !isKnown(command) && values.length > 0 && { maybe: tailsOf(values) }),
    free: own ? shell || state.functions.has(name) : free,
  }
  collected.add(invocation)
}

const mostTails = 20

/** A program of which nothing is known may run what it is told behind any of its words. */
const tailsOf = (values: readonly string[]): string[] =>
  values
    .slice(0, mostTails)
    .flatMap((value, index) =>
      /^[\w./]/.test(value) ? [[basenameOf(value), ...values.slice(index + 1)].join(" ")] : [],
    )

/** A hole reads as it is written. */
const shown = (word: Word): string => (hasHole(word.value) ? word.raw : word.value)

const systemPrograms = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/

/** The texts that name a command: as it is written, as the program gets it, by its name where the place is the system's. */
function formsOf(run: Run): string[] {
  const values = run.words.map((word) => word.value)
  const [name = "", ...rest] = values
  // With a space in the name the joined text would be that of another command.
  if (/\s/.test(name)) return [rawText(run.words)]
  const texts = [rawText(run.words), values.join(" ")]
  if (systemPrograms.test(name)) texts.push([basenameOf(name), ...rest].join(" "))
  if (name === basenameOf(name) || systemPrograms.test(name)) {
    const words = [basenameOf(name), ...rest]
    const quietly = withoutQuietOptions(words)
    if (quietly !== words) texts.push(quietly.join(" "))
  }
  return texts.filter((_, index) => index > 0 || !run.words.some((word) => hasHole(word.value)))
}

function alsoOf(run: Run): string[] {
  const values = run.words.map((word) => word.value)
  const [name = "", ...rest] = values
  // What is not known may be nothing.
  if (values.some(hasHole)) return [...othersOf(name, rest), withoutHoles(values)]
  return othersOf(name, rest)
}

const withoutHoles = (values: readonly string[]): string =>
  values
    .map((value) => value.replaceAll(/[\ufffe\uffff]/g, ""))
    .filter((value) => value !== "")
    .join(" ")

function othersOf(name: string, rest: readonly string[]): string[] {
  const command = basenameOf(name)
  const plain = command.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, "")
  const names = [command, plain].filter((one) => one !== name || /\s/.test(name))
  return [...names.map((one) => [one, ...rest].join(" ")), ...withoutLeadingOptions([plain, ...rest])]
}

/** Words that one text has become are written once. */
function rawText(words: readonly Word[]): string {
  return words.flatMap((word, index) => (index > 0 && isSameText(words[index - 1]!, word) ? [] : [word.raw])).join(" ")
}

const isSameText = (a: Word, b: Word): boolean => a.from !== undefined && a.from === b.from && a.raw === b.raw

const basenameOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1)
