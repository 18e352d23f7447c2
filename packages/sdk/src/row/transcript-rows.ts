import type { Part } from "@cairn/schema/part"
import type { Session } from "@cairn/schema/session"
import type { MessageView } from "../store/body.ts"
import { type RowOptions, mergeQuiet, rowsOf } from "./build.ts"
import type { Row } from "./row.ts"

/** What rows are made from; a view store has it. */
export interface RowSource {
  readonly ids: readonly string[]
  message(messageID: string): MessageView | undefined
  part(messageID: string, partID: string): Part | undefined
  /** From where on the session is reverted. */
  readonly revert?: Session["revert"]
}

interface Made {
  readonly message: MessageView | undefined
  readonly parts: readonly (Part | undefined)[]
  readonly rows: readonly Row[]
}

/**
 * Makes the rows of one transcript again and again. Rows of messages that did not change are the same objects, and so is
 * the list when none did.
 */
export class TranscriptRows {
  #made = new Map<string, Made>()
  #rows: readonly Row[] = []
  #plain: readonly Row[] = []

  constructor(private readonly options: RowOptions = {}) {}

  get rows(): readonly Row[] {
    return this.#rows
  }

  update(source: RowSource): readonly Row[] {
    const made = new Map<string, Made>()
    const plain: Row[] = []
    const { messageID, partID } = source.revert ?? {}
    const at = messageID === undefined ? -1 : source.ids.indexOf(messageID)
    const shown = at < 0 ? source.ids : source.ids.slice(0, partID === undefined ? at : at + 1)
    for (const id of shown) {
      const one = this.#make(id, source, id === messageID ? partID : undefined)
      made.set(id, one)
      for (const row of one.rows) plain.push(row)
    }
    this.#made = made
    if (messageID !== undefined && at >= 0) plain.push(revertedRow(messageID, source.ids.length - at))
    return this.#merge(plain)
  }

  /** The rows of a message, up to a part if one is named. */
  #make(id: string, source: RowSource, until: string | undefined): Made {
    const message = source.message(id)
    const all = message?.parts ?? []
    const end = until === undefined ? -1 : all.indexOf(until)
    const parts = all.slice(0, end < 0 ? all.length : end).map((partID) => source.part(id, partID))
    const before = this.#made.get(id)
    if (before && before.message === message && same(before.parts, parts)) return before
    const rows = rowsOf({ id, message, parts: parts.filter((part) => part !== undefined) }, this.options)
    return { message, parts, rows: kept(rows, before?.rows) }
  }

  #merge(plain: readonly Row[]): readonly Row[] {
    const rows = kept(plain, this.#plain)
    if (same(rows, this.#plain)) return this.#rows
    this.#plain = rows
    const merged = kept(mergeQuiet(rows), this.#rows)
    if (!same(merged, this.#rows)) this.#rows = merged
    return this.#rows
  }
}

/** The rows, as the objects that they were where nothing of them has changed. */
function kept(rows: readonly Row[], before: readonly Row[] = []): readonly Row[] {
  const held = new Map(before.map((row) => [row.id, row]))
  return rows.map((row) => {
    const one = held.get(row.id)
    return one && isSame(one, row) ? one : row
  })
}

function revertedRow(messageID: string, hidden: number): Row {
  return { id: `${messageID}:reverted`, kind: "reverted", messageID, parts: [], live: false, hidden }
}

function isSame(a: Row, b: Row): boolean {
  const of = ({ id, kind, live, block, tool, failed, hidden }: Row) => [id, kind, live, block, tool, failed, hidden]
  return a === b || (same(of(a), of(b)) && same(a.parts, b.parts))
}

const same = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, n) => value === b[n])
