import { readFile } from "node:fs/promises"
import { KeyedLock } from "@cairn/kernel/lock"
import type { Node, Parser, Tree } from "web-tree-sitter"
import { deepestTree, longestLine, mostNodes, type Parse, type Parsed, type SyntaxNode } from "./syntax.ts"

/** Some texts take the parser time that grows with the square of these: more are not tried. */
const mostOf: readonly (readonly [RegExp, number])[] = [
  [/\|/g, 500],
  [/</g, 500],
  [/\(\s*\)/g, 200],
]
const mostSteps = 10_000

/** What reads lines of one shell each. Loading one takes some 50 ms, once; an interruption meanwhile rejects with the reason. */
export interface Grammars {
  bash(signal: AbortSignal): Promise<Parse>
  powershell(signal: AbortSignal): Promise<Parse>
}

/** Each grammar is loaded at its first use. */
export function createGrammars(): Grammars {
  const lock = new KeyedLock()
  // Loading the engine twice at once would spoil the first.
  const once = (load: () => Promise<Parse>) => {
    let parse: Parse | undefined
    return async (signal: AbortSignal) => parse ?? lock.with("engine", signal, async () => (parse ??= await load()))
  }
  return { bash: once(loadBashParser), powershell: once(loadPowershellParser) }
}

/** Never twice at once. */
export async function loadBashParser(): Promise<Parse> {
  const grammar = await import("tree-sitter-bash/tree-sitter-bash.wasm", { with: { type: "file" } })
  return await load(grammar.default)
}

/** Never twice at once. */
async function loadPowershellParser(): Promise<Parse> {
  const grammar = await import("tree-sitter-powershell/tree-sitter-powershell.wasm", { with: { type: "file" } })
  return await load(grammar.default)
}

async function load(grammar: string): Promise<Parse> {
  const [{ Language, Parser }, engine] = await Promise.all([
    import("web-tree-sitter"),
    import("web-tree-sitter/web-tree-sitter.wasm", { with: { type: "file" } }),
  ])
  await Parser.init({ wasmBinary: await readFile(engine.default) })
  const parser = new Parser()
  parser.setLanguage(await Language.load(await readFile(grammar)))
  return parseWith(parser)
}

/** Keeps to the bounds. After a crash of the engine nothing is parsed any more: everything is asked for. */
function parseWith(parser: Parser): Parse {
  let broken = false
  return (text) => {
    if (broken) return { ok: false, reason: "the parser has failed" }
    const reason = tooMuch(text)
    if (reason !== undefined) return { ok: false, reason }
    let tree: Tree | null = null
    try {
      let steps = 0
      tree = parser.parse(text, null, { progressCallback: () => ++steps > mostSteps })
      if (tree === null) parser.reset()
      return tree === null ? { ok: false, reason: "too much to parse" } : detach(tree)
    } catch {
      broken = true
      return { ok: false, reason: "the parser has failed" }
    } finally {
      if (!broken) tree?.delete()
    }
  }
}

function tooMuch(text: string): string | undefined {
  if (text.length > longestLine) return "a line longer than 64 kB"
  return mostOf.some(([pattern, most]) => (text.match(pattern)?.length ?? 0) > most) ? "too much to parse" : undefined
}

interface Draft extends SyntaxNode {
  readonly children: SyntaxNode[]
}

/** The tree as plain objects, without recursion so that depth does not matter. */
function detach(tree: Tree): Parsed {
  if (tree.rootNode.hasError) return { ok: false, reason: "a syntax that is not understood" }
  const cursor = tree.walk()
  try {
    const root = draftOf(cursor.currentNode)
    const path = [root]
    let count = 1
    for (;;) {
      if (cursor.gotoFirstChild()) {
        if (path.length >= deepestTree) return { ok: false, reason: "too deep a nesting" }
      } else {
        for (;;) {
          path.pop()
          if (path.length === 0) return { ok: true, root }
          if (cursor.gotoNextSibling()) break
          cursor.gotoParent()
        }
      }
      if (++count > mostNodes) return { ok: false, reason: "too many parts" }
      const node = draftOf(cursor.currentNode)
      path.at(-1)!.children.push(node)
      path.push(node)
    }
  } finally {
    cursor.delete()
  }
}

const draftOf = (node: Node): Draft => ({
  type: node.type,
  named: node.isNamed,
  start: node.startIndex,
  end: node.endIndex,
  children: [],
})
