import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"

/** What is kept of a prompt that was sent: its text as it was, pasted texts in their places. */
export interface Entry {
  readonly text: string
}

const most = 500
/** Characters of an entry; what is longer is not kept. */
const longestEntry = 100_000

/**
 * The prompts of a project, and a walk through them. The walk begins at what is being written, which waits at its end; it
 * ends with the first key that changes the text.
 */
export class History {
  #entries: readonly string[]
  #at: number | undefined
  #draft = ""

  constructor(entries: readonly string[]) {
    this.#entries = entries.slice(-most)
  }

  get entries(): readonly string[] {
    return this.#entries
  }

  /** The one before; undefined at the oldest. `current` is what stands in the prompt. */
  previous(current: string): string | undefined {
    const at = (this.#at ?? this.#entries.length) - 1
    if (at < 0) return undefined
    if (this.#at === undefined) this.#draft = current
    this.#at = at
    return this.#entries[at]
  }

  /** The one after, at last what was being written; undefined when the walk has not begun. */
  following(): string | undefined {
    if (this.#at === undefined) return undefined
    const at = this.#at + 1
    if (at < this.#entries.length) {
      this.#at = at
      return this.#entries[at]
    }
    this.#at = undefined
    return this.#draft
  }

  /** Ends the walk where it is. */
  stop(): void {
    this.#at = undefined
  }

  /** Adds what was sent, once. Returns whether it is to be written down. */
  add(text: string): boolean {
    this.stop()
    if (text.trim() === "" || text.length > longestEntry || text === this.#entries.at(-1)) return false
    this.#entries = [...this.#entries.filter((entry) => entry !== text), text].slice(-most)
    return true
  }

  /** The newest that contains `query` in any case, before the place `from`; for a search that goes back step by step. */
  search(query: string, from = this.#entries.length): { readonly text: string; readonly at: number } | undefined {
    const wanted = query.toLowerCase()
    for (let at = Math.min(from, this.#entries.length) - 1; at >= 0; at--) {
      const text = this.#entries[at] ?? ""
      if (text.toLowerCase().includes(wanted)) return { text, at }
    }
    return undefined
  }
}

/** The file of a project's history: a JSON object a line, the newest last. A line that is none is passed over. */
export async function readHistory(file: string): Promise<string[]> {
  const lines = await readFile(file, "utf8").then(
    (text) => text.split("\n"),
    () => [],
  )
  const entries = lines.flatMap((line): string[] => {
    try {
      const entry: unknown = JSON.parse(line)
      const text = typeof entry === "object" && entry !== null && "text" in entry ? entry.text : undefined
      return typeof text === "string" && text.length <= longestEntry ? [text] : []
    } catch {
      return [] // half a line of a process that was killed
    }
  })
  if (lines.length > 2 * most) await rewrite(file, entries.slice(-most))
  return entries.slice(-most)
}

/** Adds one entry. The file is this user's alone. Rejects when it cannot be written. */
export async function appendHistory(file: string, entry: Entry): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await appendFile(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
}

async function rewrite(file: string, entries: readonly string[]): Promise<void> {
  const partial = `${file}.${process.pid}.partial`
  await writeFile(partial, entries.map((text) => `${JSON.stringify({ text })}\n`).join(""), { mode: 0o600 })
  await rename(partial, file)
}
