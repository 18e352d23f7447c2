import type { Ask } from "./ask.ts"
import { pathsBelow } from "./below.ts"
import { type CommandContext, type PathFacts, protectedReason } from "./command-paths.ts"
import { hasWildcard } from "./wildcard.ts"

/** One ask for everything outside, one for what commands read and one for what they change, then one for each redirect. */
export function pathAsks(context: CommandContext, facts: PathFacts): Ask[] {
  const asks: Ask[] = []
  const { external: outside, writes, reads } = facts
  if (outside.size > 0) {
    const patterns = [...new Set([...outside.values()].map((directory) => `${directory === "/" ? "" : directory}/*`))]
    asks.push({
      permission: "external_directory",
      patterns,
      always: [...outside.values()].some(hasWildcard) ? [] : patterns,
      metadata: { filepath: [...outside.keys()][0], paths: [...outside.keys()] },
    })
  }
  if (facts.contents.size > 0) asks.push(fileAsk("read", [...facts.contents], facts.readTrees))
  if (facts.changes.size > 0) asks.push(fileAsk("edit", [...facts.changes], facts.changedTrees))
  for (const path of reads)
    asks.push({ permission: "read", patterns: [path], always: exact(path), metadata: { filepath: path } })
  for (const path of writes) {
    const reason = protectedReason(path, context, facts)
    asks.push({
      permission: "edit",
      patterns: [path],
      always: reason === undefined ? exact(path) : [],
      metadata: { filepath: path },
      ...(reason !== undefined && { mustAsk: { reason, protected: true } }),
    })
  }
  return asks
}

/** What commands do to files. Protected ones among them stand in the ask for the command. */
function fileAsk(permission: "read" | "edit", paths: readonly string[], trees: ReadonlySet<string>): Ask {
  const always = paths.some(hasWildcard) ? [] : paths
  const below = trees.size > 0 && { below: () => pathsBelow(trees) }
  return { permission, patterns: paths, always, metadata: { filepath: paths[0], paths }, ...below }
}

const exact = (path: string) => (hasWildcard(path) ? [] : [path])
