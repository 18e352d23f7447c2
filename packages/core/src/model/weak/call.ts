/** A call as it was written: the arguments are raw text, repaired and judged where native calls are. */
export interface WrittenCall {
  readonly name: string
  readonly input: string
}

/** Is this the name of an offered tool, whatever its spelling? */
export type Offers = (name: string) => boolean

/** Names as models wrap them: `functions.read`, `Read`, `todo-write`, `default_api:bash`. */
export function offersOf(names: readonly string[]): Offers {
  const known = new Set(names.map(bare))
  return (name) => known.has(bare(name))
}

function bare(name: string): string {
  return name
    .replace(/^(functions?|tools?|default_api)[.:/]/i, "")
    .replace(/[-_.\s]/g, "")
    .toLowerCase()
}
