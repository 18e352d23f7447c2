import { hasHole, hole, type Word } from "./syntax.ts"
import type { WrapperRow } from "./wrappers.ts"

/** What a wrapper's arguments come to. */
export type Unwrapped =
  | {
      readonly kind: "command"
      readonly words: readonly Word[]
      readonly assignments: readonly (readonly [string, string])[]
      readonly directory?: Word
    }
  /** There is no command: the program stands for itself. */
  | { readonly kind: "none" }
  | { readonly kind: "opaque"; readonly reason: string }

/** Finds the command among the arguments of a wrapper, which begin behind its name and its words. */
export function unwrap(row: WrapperRow, args: readonly Word[]): Unwrapped {
  const reader = new Options(row, args)
  const problem = reader.read()
  if (problem !== undefined) return { kind: "opaque", reason: `${row.name}: ${problem}` }
  const { rest, assignments, directory } = reader
  if (rest.length === 0) return { kind: "none" }
  const words = row.adds ? [...rest, added] : rest
  return { kind: "command", words, assignments, ...(directory && { directory }) }
}

/** Arguments that come from elsewhere. */
const added: Word = { raw: "…", value: hole, glob: false, tilde: false, plain: false, many: true }

const isAssignment = /^[A-Za-z_]\w*=/

class Options {
  rest: readonly Word[] = []
  readonly assignments: (readonly [string, string])[] = []
  directory: Word | undefined
  #at = 0

  constructor(
    private readonly row: WrapperRow,
    private readonly args: readonly Word[],
  ) {}

  /** What is not understood. */
  read(): string | undefined {
    const { row, args } = this
    if (row.opaque === "*" && args.length > 0) return row.reason
    let operands = row.operands ?? 0
    for (; this.#at < args.length; this.#at++) {
      const word = args[this.#at]!
      const text = word.value
      if (hasHole(text) && (text.startsWith(hole) || word.many)) return "an argument that is only known when it runs"
      if (text === "--") {
        this.#at++
        break
      }
      if (text.startsWith("-") && text !== "-") {
        const problem = this.#option(text)
        if (problem !== undefined) return problem
      } else if (row.assignments && /^[^/=][^=]*=/.test(text)) {
        if (!isAssignment.test(text)) return "a variable with an unusual name"
        this.#assignment(text)
      } else if (text === "-" && row.name === "env") continue
      else if (operands-- <= 0) break
    }
    for (; row.assignments && /^[^/=][^=]*=/.test(args[this.#at]?.value ?? ""); this.#at++) {
      if (!isAssignment.test(args[this.#at]!.value)) return "a variable with an unusual name"
      this.#assignment(args[this.#at]!.value)
    }
    if (operands > 0) this.#at += operands
    this.rest = args.slice(this.#at)
    return undefined
  }

  #assignment(text: string): void {
    const equals = text.indexOf("=")
    this.assignments.push([text.slice(0, equals), text.slice(equals + 1)])
  }

  #option(text: string): string | undefined {
    const { row } = this
    if (row.numeric && /^-\d+$|^--\d+$/.test(text)) return undefined
    if (text.startsWith("--")) return this.#long(text)
    for (let place = 1; place < text.length; place++) {
      const letter = text[place]!
      if (row.opaque?.includes(letter)) return row.reason
      if (row.flags?.includes(letter)) continue
      if (!row.valued?.includes(letter)) return `the option -${letter}, which is not known`
      const value = text.slice(place + 1)
      const word = value === "" ? this.args[++this.#at] : undefined
      if (row.name === "env" && letter === "C") this.directory = word ?? { ...this.args[this.#at]!, value }
      return undefined
    }
    return undefined
  }

  #long(text: string): string | undefined {
    const { row } = this
    const [name = "", value] = text.slice(2).split("=", 2)
    const isOne = (names: string | undefined) => names?.split(" ").includes(name) ?? false
    if (isOne(row.long)) return undefined
    if (!isOne(row.longValued)) return `the option --${name}, which is not known`
    const word = value === undefined ? this.args[++this.#at] : undefined
    if (row.name === "env" && name === "chdir") this.directory = word ?? { ...this.args[this.#at]!, value: value ?? "" }
    return undefined
  }
}
