import { leader, parseBindings, parseStroke, type Sequence, showSequence, type Stroke } from "../input/key.ts"
import { type Binding, layers } from "../input/keymap.ts"
import { originalNames } from "../input/original-names.ts"
import type { Command, Facts } from "./define.ts"

export const defaultLeader: Stroke = "ctrl+x"

/** Commands with the keys that the user gave them. */
export interface Registry<Context> {
  readonly commands: readonly Command<Context>[]
  readonly leader: Stroke
  readonly bindings: readonly Binding[]
  /** What was wrong with `keybinds`: a sentence each. The defaults hold there. */
  readonly warnings: readonly string[]
  find(id: string): Command<Context> | undefined
  slash(name: string): Command<Context> | undefined
  /** What may run now and is no matter of a place, for the palette. */
  available(facts: Facts): readonly Command<Context>[]
  /** The first of its keys as users read it; undefined without one. */
  keyOf(id: string): string | undefined
}

/** `keybinds`: keys by a command's id or its name in the original. */
export function createRegistry<Context>(
  commands: readonly Command<Context>[],
  keybinds: Readonly<Record<string, string>> = {},
): Registry<Context> {
  const warnings: string[] = []
  const byId = new Map(commands.map((command) => [command.id, command]))
  const bySlash = new Map(commands.flatMap((command) => (command.slash ?? []).map((name) => [name, command])))
  for (const name of Object.keys(keybinds)) {
    if (!byId.has(name) && !originalNames.has(name)) warnings.push(`keybinds.${name}: there is no such command`)
  }
  const leaderIs = leaderOf(keybinds["leader"], warnings)
  const bindings = commands.flatMap((command): Binding[] => {
    const sequences = sequencesOf(command, keybinds, warnings)
    return sequences.length === 0 ? [] : [{ command: command.id, layer: command.layer ?? "global", sequences }]
  })
  return {
    commands,
    leader: leaderIs,
    bindings,
    warnings,
    find: (id) => byId.get(id),
    slash: (name) => bySlash.get(name),
    available: (facts) => commands.filter((command) => command.hidden !== true && (command.when?.(facts) ?? true)),
    keyOf(id) {
      const [first] = bindings.find((binding) => binding.command === id)?.sequences ?? []
      return first === undefined ? undefined : showSequence(first, leaderIs)
    },
  }
}

function leaderOf(text: string | undefined, warnings: string[]): Stroke {
  if (text === undefined) return defaultLeader
  const stroke = parseStroke(text)
  if (stroke.ok && stroke.value !== leader) return stroke.value
  warnings.push(`keybinds.leader: ${stroke.ok ? "it cannot be itself" : stroke.error}; it stays ${defaultLeader}`)
  return defaultLeader
}

function sequencesOf(
  { id, original, keys = "none" }: Pick<Command<never>, "id" | "original" | "keys">,
  keybinds: Readonly<Record<string, string>>,
  warnings: string[],
): readonly Sequence[] {
  const name = [id, original].find((each) => each !== undefined && Object.hasOwn(keybinds, each))
  if (name !== undefined) {
    const given = parseBindings(keybinds[name] ?? "")
    if (given.ok) return given.value
    warnings.push(`keybinds.${name}: ${given.error}; the default stays`)
  }
  const byDefault = parseBindings(keys)
  return byDefault.ok ? byDefault.value : []
}

/** What is wrong with the commands themselves; empty in a program that was tested. */
export function commandProblems(commands: readonly Command<never>[]): string[] {
  const problems: string[] = []
  const taken = new Map<string, string>()
  const claim = (what: string, id: string) => {
    const other = taken.get(what)
    if (other !== undefined) problems.push(`${id}: ${what} is ${other}'s`)
    taken.set(what, id)
  }
  for (const command of commands) {
    const { id, title, doc, keys, layer = "global", original } = command
    claim(`the id ${id}`, id)
    if (!/^[a-z]+(?:\.[a-z]+)+(?:-[a-z]+)*$/.test(id)) problems.push(`${id}: an id is group.verb`)
    if (title.trim() === "" || title.endsWith("."))
      problems.push(`${id}: its title is missing or ends with a full stop`)
    if (!/^[A-Z].*\.$/s.test(doc)) problems.push(`${id}: its doc is missing or no sentence`)
    if (original !== undefined && !originalNames.has(original)) problems.push(`${id}: the original has no ${original}`)
    for (const name of command.slash ?? []) claim(`/${name}`, id)
    const sequences = parseBindings(keys ?? "none")
    if (!sequences.ok) problems.push(`${id}: ${sequences.error}`)
    else for (const sequence of sequences.value) claim(`${sequence.join(" ")} in ${layer}`, id)
  }
  return [...problems, ...hiddenSequences(commands)]
}

/** A key that runs a command hides every longer sequence that begins with it. */
function hiddenSequences(commands: readonly Command<never>[]): string[] {
  return layers.flatMap((layer) => {
    const all = commands
      .filter((command) => (command.layer ?? "global") === layer)
      .flatMap(({ id, keys }) => {
        const sequences = parseBindings(keys ?? "none")
        return sequences.ok ? sequences.value.map((sequence) => ({ id, text: sequence.join(" ") })) : []
      })
    return all.flatMap(({ id, text }) => {
      const longer = all.find((other) => other.text.startsWith(`${text} `))
      return longer === undefined ? [] : [`${id}: ${text} is the beginning of ${longer.id}'s ${longer.text}`]
    })
  })
}
