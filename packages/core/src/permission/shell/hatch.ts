/** A run of a program that reaches another one, or what nobody can see, by the arguments. The first that fits counts. */
export interface Hatch {
  readonly commands: readonly string[]
  readonly reason: string
  readonly opens: (args: readonly string[]) => boolean
  /** A line that it opens. */
  readonly example: string
}
