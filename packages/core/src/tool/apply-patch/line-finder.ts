import type { Counter } from "../edit/line-search.ts"

/**
 * Finds runs of lines of a patch in a file, all of them known before. Building it costs lines + lines of all
 * runs; a question costs nothing more than the lines that `first` walks over, so that many chunks stay linear.
 */
export interface LineIndex {
  /** The first place at or below `from` that has this run. */
  first(run: readonly string[], from: number): number | undefined
}

/** The tree of all runs (Aho and Corasick), a node per prefix. Node 0 is the empty run. */
interface Tree {
  /** The node that `line` leads to from `node`. */
  child(node: number, line: number): number | undefined
  /** Number of a line that stands in some run. */
  lineOf(text: string): number | undefined
  /** The nodes from short to long, without the empty one. */
  readonly order: readonly number[]
  /** For each node: the one of its longest proper end that also is a prefix. */
  readonly shorter: readonly number[]
}

/** Two lines are equal when their keys are. Every comparison is counted. */
export function indexLines(
  lines: readonly string[],
  runs: readonly (readonly string[])[],
  key: (line: string) => string,
  counter: Counter,
): LineIndex {
  const tree = growTree(runs, key, counter)
  const { at, last } = visit(tree, lines, key, counter)
  const { enter, leave } = intervals(tree)
  const nodeOf = (run: readonly string[]) => {
    let node: number | undefined = 0
    for (const text of run) {
      counter.comparisons++
      const line = tree.lineOf(key(text))
      node = line === undefined || node === undefined ? undefined : tree.child(node, line)
    }
    return node
  }
  return {
    first(run, from) {
      const node = nodeOf(run)
      if (!node || (last[node] ?? -1) - run.length + 1 < from) return undefined
      for (let end = from + run.length - 1; end < at.length; end++) {
        counter.comparisons++
        const place = enter[at[end] ?? 0] ?? 0
        if (place >= (enter[node] ?? 0) && place < (leave[node] ?? 0)) return end - run.length + 1
      }
      return undefined
    },
  }
}

function growTree(runs: readonly (readonly string[])[], key: (line: string) => string, counter: Counter): Tree {
  const numbers = new Map<string, number>()
  for (const run of runs) for (const text of run) if (!numbers.has(key(text))) numbers.set(key(text), numbers.size)
  const edges = new Map<number, number>()
  const edge = (node: number, line: number) => node * numbers.size + line
  const nodes = [{ parent: 0, line: 0, depth: 0 }]
  for (const run of runs) {
    let node = 0
    for (const text of run) {
      counter.comparisons++
      const line = numbers.get(key(text)) ?? 0
      let next = edges.get(edge(node, line))
      if (next === undefined) {
        next = nodes.length
        edges.set(edge(node, line), next)
        nodes.push({ parent: node, line, depth: (nodes[node]?.depth ?? 0) + 1 })
      }
      node = next
    }
  }
  const order = [...nodes.keys()].slice(1).toSorted((a, b) => (nodes[a]?.depth ?? 0) - (nodes[b]?.depth ?? 0))
  const tree: Tree & { shorter: number[] } = {
    child: (node, line) => edges.get(edge(node, line)),
    lineOf: (text) => numbers.get(text),
    order,
    shorter: nodes.map(() => 0),
  }
  for (const node of order) {
    const { parent, line } = nodes[node] ?? { parent: 0, line: 0 }
    if (parent !== 0) tree.shorter[node] = step(tree, tree.shorter[parent] ?? 0, line, counter)
  }
  return tree
}

/** The longest prefix of a run that stands behind the lines of `node` and then `line`. */
function step(tree: Tree, from: number, line: number, counter: Counter): number {
  for (let node = from; ; node = tree.shorter[node] ?? 0) {
    counter.comparisons++
    const next = tree.child(node, line)
    if (next !== undefined) return next
    if (node === 0) return 0
  }
}

interface Visits {
  /** For each line of the file: the longest prefix of a run that ends with it. */
  readonly at: readonly number[]
  /** For each node: the last line of the last place that has it; -1 for none. */
  readonly last: readonly number[]
}

function visit(tree: Tree, lines: readonly string[], key: (line: string) => string, counter: Counter): Visits {
  const at: number[] = []
  const last: number[] = tree.shorter.map(() => -1)
  let node = 0
  for (const [index, text] of lines.entries()) {
    counter.comparisons++
    const line = tree.lineOf(key(text))
    node = line === undefined ? 0 : step(tree, node, line, counter)
    at.push(node)
    last[node] = index
  }
  // What ends with a run ends with every shorter run that is its end.
  for (const longer of tree.order.toReversed()) {
    const shorter = tree.shorter[longer] ?? 0
    if (shorter !== 0) last[shorter] = Math.max(last[shorter] ?? -1, last[longer] ?? -1)
  }
  return { at, last }
}

/** Numbers the nodes so that those which end with the same run stand side by side: from `enter` up to `leave` of it. */
function intervals({ order, shorter }: Tree): { enter: readonly number[]; leave: readonly number[] } {
  const size = shorter.map(() => 1)
  for (const node of order.toReversed()) {
    const parent = shorter[node] ?? 0
    size[parent] = (size[parent] ?? 0) + (size[node] ?? 0)
  }
  const enter = shorter.map(() => 0)
  const free = shorter.map(() => 1)
  for (const node of order) {
    const parent = shorter[node] ?? 0
    enter[node] = (enter[parent] ?? 0) + (free[parent] ?? 0)
    free[parent] = (free[parent] ?? 0) + (size[node] ?? 0)
  }
  return { enter, leave: enter.map((place, node) => place + (size[node] ?? 0)) }
}
