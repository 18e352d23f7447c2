import type { Collected } from "../collected.ts"
import { destructiveReason } from "../destructive.ts"
import { runCommand } from "../run-command.ts"
import { startState, type State } from "../state.ts"
import { hasHole, hole, type Word } from "../syntax.ts"
import { type Cmdlet, cmdletRoles, openCmdlets } from "./cmdlets.ts"

const mostPlaces = 16

/** Words that bash would take for its own: here they would be programs of which nothing is known. */
const wordsOfBash: ReadonlySet<string> = new Set(
  ": [ [[ . alias builtin command declare eval exec export getopts hash let local mapfile popd pushd read readarray readonly shift shopt source test trap typeset ulimit umask unset wait".split(
    " ",
  ),
)

/** Notes what the commands of a PowerShell or cmd line do, in every form that a rule may name them by. */
export class WindowsCommands {
  readonly #places: Set<string>

  constructor(readonly collected: Collected) {
    this.#places = new Set([collected.context.cwd])
  }

  /** Wherever the line may have gone by now: nothing says whether it worked, so nothing is taken back. */
  get state(): State {
    return { ...startState(this.collected.context.cwd), at: [...this.#places] }
  }

  cmdlet(cmdlet: Cmdlet, words: readonly Word[], args: readonly Word[], piped: boolean): void {
    const { collected } = this
    const { roles, problem } = cmdletRoles(cmdlet, args, piped)
    if (problem !== undefined) collected.reasons.add(`${cmdlet.name}: ${problem}`)
    const { at } = this.state
    if (cmdlet.kind === "goes") this.#go(roles.reads.map(({ text }) => text))
    const [name, ...rest] = words
    const raw = words.map((word) => word.raw).join(" ")
    const tail = rest.map((word) => ` ${word.value}`).join("")
    const known = !words.some((word) => hasHole(word.value))
    const lost = destructiveReason(cmdlet.kind === "removes" ? "rm" : "", [])
    collected.step()
    collected.add({
      text: raw,
      argv: words.map((word) => (hasHole(word.value) ? word.raw : word.value)),
      executable: name!.value,
      basename: cmdlet.name,
      cwd: collected.context.cwd,
      env: {},
      dynamic: false,
      ...(lost !== undefined && { destructive: lost }),
      words: [name!, ...(cmdlet.kind === "says" ? [] : rest.map((word) => ({ ...word, value: slashed(word.value) })))],
      redirects: [],
      at,
      named: [...new Set([...(known ? [raw] : []), cmdlet.name + tail])],
      also: [...cmdlet.aliases.map((alias) => alias + tail), (cmdlet.name + tail).replaceAll(hole, "")],
      free: cmdlet.kind === "goes",
      roles,
    })
  }

  #go(targets: readonly string[]): void {
    const [target = "~"] = targets
    if (targets.length > 1 || hasHole(target) || /[*?[:]/.test(target) || /^[-+]$/.test(target))
      return void this.collected.reasons.add("a cd that cannot be followed")
    const home = target === "~" || target.startsWith("~/")
    const way = home ? this.collected.home + target.slice(1) : target
    for (const place of [...this.#places]) this.#places.add(way.startsWith("/") ? way : `${place}/${way}`)
    if (this.#places.size > mostPlaces) this.collected.reasons.add("too many directories to follow")
  }

  /** A program. `base`: its name in small letters, without directory and extension. */
  program(base: string, words: readonly Word[], document?: string): void {
    const { collected } = this
    const [first, ...args] = words
    const reason = openCmdlets.get(base) ?? (wordsOfBash.has(base) ? "it is a word of another shell" : undefined)
    if (reason !== undefined) collected.reasons.add(`${base}: ${reason}`)
    const odd = args.map(oddArgument).find((one) => one !== undefined)
    if (odd !== undefined) collected.reasons.add(`${base}: ${odd}`)
    const path = slashed(first!.value)
    // A script in PowerShell's own language is another program than one of that name.
    const value = path.includes("/") || path.toLowerCase().endsWith(".ps1") ? path : base
    collected.document = document
    runCommand(collected, this.state, {
      words: [{ ...first!, value, plain: false }, ...args.map((word) => ({ ...word, value: slashed(word.value) }))],
      redirects: [],
      text: words.map((word) => word.raw).join(" "),
    })
  }
}

/** An argument that may reach the program as another one, or as several. */
function oddArgument({ value }: Word): string | undefined {
  if (value === "") return "an empty argument"
  if (/["&|<>^]/.test(value)) return "an argument that another shell may read again"
  if (/\s/.test(value) && value.endsWith("\\")) return "a backslash in front of a quote"
  if (/(?:^|[=@,])[A-Za-z]:(?:[\\/]|$)/.test(value) || /^[\\/]{2}/.test(value)) return "a path of a drive"
  return /~\d/.test(value) ? "a short form of a name" : undefined
}

const slashed = (text: string): string => text.replaceAll("\\", "/")

/** `C:\x\Git.EXE` is git. */
export const baseName = (text: string): string =>
  slashed(text)
    .replace(/^.*\//s, "")
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com|ps1)$/, "")
