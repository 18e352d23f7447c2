/** What is being written at the cursor that can be completed. `from` to `to` is what a choice replaces. */
export type Trigger =
  | { readonly kind: "mention"; readonly query: string; readonly from: number; readonly to: number }
  | { readonly kind: "command"; readonly query: string; readonly from: number; readonly to: number }

/** A mention begins with `@` at the start of a word; a command with `/` at the start of the prompt. */
export function triggerAt(text: string, cursor: number): Trigger | undefined {
  const command = /^\/(\S*)$/.exec(text.slice(0, cursor))
  if (command !== null) return { kind: "command", query: command[1] ?? "", from: 0, to: wordEnd(text, cursor) }
  const mention = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, cursor))
  if (mention === null) return undefined
  const query = mention[1] ?? ""
  return { kind: "mention", query, from: cursor - query.length - 1, to: wordEnd(text, cursor) }
}

function wordEnd(text: string, cursor: number): number {
  return cursor + (/^\S*/.exec(text.slice(cursor))?.[0].length ?? 0)
}

/** What a mention names: a path, and of it lines (from 1, both included) or a symbol. */
export interface Mention {
  readonly path: string
  readonly lines?: readonly [first: number, last: number]
  readonly symbol?: string
}

/** `src/a.ts`, `src/a.ts:10`, `src/a.ts:10-40`, `a.ts#symbol`. */
export function parseMention(query: string): Mention {
  const lines = /^(.+):(\d{1,7})(?:-(\d{0,7}))?$/.exec(query)
  if (lines !== null) {
    const [, path = "", first = "", last = ""] = lines
    const from = Math.max(1, Number(first))
    return { path, lines: [from, last === "" ? from : Math.max(from, Number(last))] }
  }
  const symbol = /^([^#]+)#(.*)$/.exec(query)
  return symbol === null ? { path: query } : { path: symbol[1] ?? "", symbol: symbol[2] ?? "" }
}
