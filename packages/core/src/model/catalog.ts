import { readFileSync } from "node:fs"
import asset from "./catalog.zst" with { type: "file" }
import { nearest } from "./nearest.ts"

/** Dollars a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Of thoughts, where they cost otherwise than the answer. */
  readonly reasoning?: number | undefined
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
}

/** What is known of a model; every field may be missing. The same names stand in `provider.<id>.models.<id>` of the config. */
export interface CatalogModel {
  readonly name?: string | undefined
  readonly family?: string | undefined
  /** ISO date, sometimes without the day. */
  readonly release_date?: string | undefined
  readonly attachment?: boolean | undefined
  readonly reasoning?: boolean | undefined
  readonly reasoning_options?: readonly unknown[] | undefined
  readonly temperature?: boolean | undefined
  readonly tool_call?: boolean | undefined
  /** Reasoning has to be sent back, in this field of the message (`true`: the usual one). */
  readonly interleaved?: boolean | string | { readonly field: string } | undefined
  readonly modalities?: { readonly input?: readonly string[] | undefined } | undefined
  readonly limit?:
    | { readonly context: number; readonly input?: number | undefined; readonly output: number }
    | undefined
  readonly cost?:
    | (Price & {
        /** Prices that hold once the prompt is larger than `size` tokens. */
        readonly tiers?:
          | readonly (Price & { readonly tier: { readonly type: string; readonly size: number } })[]
          | undefined
      })
    | undefined
  readonly status?: string | undefined
  readonly provider?: { readonly npm?: string | undefined; readonly api?: string | undefined } | undefined
}

export interface CatalogProvider {
  readonly name: string
  /** Variables that the provider needs, its key among them. */
  readonly env: readonly string[]
  readonly npm: string
  /** Base URL, perhaps with `${VARIABLE}` in it. */
  readonly api?: string
}

export type CatalogIndex = Record<string, CatalogProvider & { readonly at: number; readonly size: number }>

/** The shipped snapshot of models.dev (see `catalog.notice.md`). Nothing is read before the first question. */
export interface Catalog {
  provider(providerID: string): CatalogProvider | undefined
  providers(): readonly string[]
  model(providerID: string, modelID: string): CatalogModel | undefined
  /** Models of one provider by id; empty when it is unknown. */
  models(providerID: string): Readonly<Record<string, CatalogModel>>
  /** `provider/model` references that contain `text`, sorted; all of them without a text. Unpacks everything. */
  list(text?: string): string[]
  /** At most three references, of the catalogue and of `others`, that may have been meant by `text`; best first. */
  suggest(text: string, others?: readonly string[]): string[]
}

/** Providers that make their models themselves, first where several offer one. */
const wellKnown = ["anthropic", "openai", "google", "openrouter", "deepseek", "mistral", "xai", "moonshotai", "zai"]

/** `bytes` as written by `script/catalog.ts`. What was unpacked once is kept. */
export function createCatalog(bytes: () => Uint8Array = () => readFileSync(asset)): Catalog {
  let opened: { index: CatalogIndex; chunks: Uint8Array } | undefined
  const unpacked = new Map<string, Record<string, CatalogModel>>()

  function open() {
    if (opened) return opened
    const file = bytes()
    const size = new DataView(file.buffer, file.byteOffset).getUint32(0, true)
    opened = { index: unpack(file.subarray(4, 4 + size)), chunks: file.subarray(4 + size) }
    return opened
  }

  function models(providerID: string): Record<string, CatalogModel> {
    const known = unpacked.get(providerID)
    if (known) return known
    const { index, chunks } = open()
    const entry = own(index, providerID)
    if (!entry) return {}
    const rows = unpack<Record<string, CatalogModel>>(chunks.subarray(entry.at, entry.at + entry.size))
    unpacked.set(providerID, rows)
    return rows
  }

  const providers = () => Object.keys(open().index)
  const references = () => providers().flatMap((id) => Object.keys(models(id)).map((model) => `${id}/${model}`))

  return {
    provider: (providerID) => own(open().index, providerID),
    providers,
    model: (providerID, modelID) => own(models(providerID), modelID),
    models,
    list: (text = "") => references().filter((reference) => reference.toLowerCase().includes(text.toLowerCase())),
    suggest: (text, others = []) => nearest(text, [...new Set([...others, ...references()])], wellKnown),
  }
}

function unpack<T>(bytes: Uint8Array): T {
  return JSON.parse(Bun.zstdDecompressSync(bytes.slice()).toString())
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
