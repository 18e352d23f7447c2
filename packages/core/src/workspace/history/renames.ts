import { rawLines } from "../diff.ts"

/** A file that went, or one that came. `text` is undefined for what is no text, or could not be had. */
export interface Candidate {
  readonly path: string
  readonly hash: string
  readonly text: string | undefined
}

/** Two texts are one file under another name when they share this much of the larger one. */
const enough = 0.5
/** Beyond this only files with the same content are paired: each pair of the others has to be compared. */
const mostPairs = 2_000

/** New paths by the old ones they were moved from: equal contents first, then texts that are alike, the most alike first. Pure. */
export function findRenames(gone: readonly Candidate[], come: readonly Candidate[]): ReadonlyMap<string, string> {
  const renames = new Map<string, string>()
  const left = new Set(gone)
  const open = new Set(come)
  const pair = (from: Candidate, to: Candidate) => {
    renames.set(to.path, from.path)
    left.delete(from)
    open.delete(to)
  }
  for (const to of come) {
    const same = [...left].filter((from) => from.hash === to.hash)
    const from = same.find(({ path }) => nameOf(path) === nameOf(to.path)) ?? same[0]
    if (from) pair(from, to)
  }
  if (left.size * open.size > mostPairs) return renames
  const lines = new Map([...left, ...open].map((each) => [each, countLines(each.text)] as const))
  const alike = [...left].flatMap((from) =>
    [...open].map((to) => ({ from, to, share: similarity(lines.get(from), lines.get(to)) })),
  )
  for (const { from, to, share } of alike.toSorted((a, b) => b.share - a.share))
    if (share >= enough && left.has(from) && open.has(to)) pair(from, to)
  return renames
}

interface Counted {
  readonly size: number
  readonly counts: ReadonlyMap<string, number>
}

function countLines(text: string | undefined): Counted | undefined {
  if (text === undefined || text === "") return undefined
  const counts = new Map<string, number>()
  for (const line of rawLines(text)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return { size: text.length, counts }
}

/** How much of the larger text stands in the other as well, by characters of whole lines. */
function similarity(a: Counted | undefined, b: Counted | undefined): number {
  if (!a || !b) return 0
  const larger = Math.max(a.size, b.size)
  if (Math.min(a.size, b.size) / larger < enough) return 0
  let shared = 0
  for (const [line, count] of a.counts) shared += line.length * Math.min(count, b.counts.get(line) ?? 0)
  return shared / larger
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
