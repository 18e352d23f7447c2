import { join } from "node:path"
import type { CatalogIndex, CatalogModel } from "../packages/core/src/model/catalog.ts"

const usage = "Usage: bun run script/catalog.ts <models.json of models.dev>"

interface SourceProvider {
  readonly name: string
  readonly env: readonly string[]
  readonly npm: string
  readonly api?: string
  readonly models: Record<string, SourceModel>
}
interface SourceModel extends CatalogModel {
  readonly cost?: CatalogModel["cost"] & { readonly context_over_200k?: Price }
}
type Price = NonNullable<CatalogModel["cost"]>

const kept = [
  "name",
  "family",
  "release_date",
  "attachment",
  "reasoning",
  "reasoning_options",
  "temperature",
  "tool_call",
  "interleaved",
  "limit",
  "status",
] as const

/**
 * Packs the models.dev data into `packages/core/src/model/catalog.zst`: the length of the index (4 bytes, little
 * endian), the index, then the models of one provider after the other, each compressed by itself, so that a lookup
 * unpacks the index and one provider only.
 */
async function main(path: string | undefined): Promise<number> {
  if (path === undefined) {
    console.error(usage)
    return 2
  }
  const source: Record<string, SourceProvider> = await Bun.file(path).json()
  const index: CatalogIndex = {}
  const chunks: Uint8Array[] = []
  let at = 0
  for (const [id, { name, env, npm, api, models }] of Object.entries(source).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const trimmed = Object.fromEntries(Object.entries(models).map(([key, model]) => [key, trim(model)]))
    const chunk = pack(trimmed)
    chunks.push(chunk)
    index[id] = { name, env: [...env], npm, ...(api === undefined ? {} : { api }), at, size: chunk.byteLength }
    at += chunk.byteLength
  }
  const head = pack(index)
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, head.byteLength, true)
  const target = join(import.meta.dir, "../packages/core/src/model/catalog.zst")
  const bytes = await Bun.write(target, new Blob([length, head, ...chunks].map((part) => part.slice().buffer)))
  console.log(`${Object.keys(index).length} providers, ${bytes} bytes: ${target}`)
  return 0
}

function pack(value: unknown): Uint8Array {
  return Bun.zstdCompressSync(JSON.stringify(value), { level: 19 })
}

/** Only what the engine reads; prices above a context size become tiers. */
function trim(model: SourceModel): CatalogModel {
  const row: Record<string, unknown> = {}
  for (const key of kept) if (model[key] !== undefined) row[key] = model[key]
  row["modalities"] = { input: model.modalities?.input }
  if (model.provider) row["provider"] = { npm: model.provider.npm, api: model.provider.api }
  if (model.cost) {
    const { tiers, context_over_200k } = model.cost
    const old = context_over_200k && [{ ...price(context_over_200k), tier: { type: "context", size: 200_000 } }]
    const own = tiers?.map((tier) => ({ ...price(tier), tier: tier.tier }))
    row["cost"] = { ...price(model.cost), tiers: own ?? old }
  }
  return row
}

function price({ input, output, reasoning, cache_read, cache_write }: Price): Price {
  return { input, output, reasoning, cache_read, cache_write }
}

process.exitCode = await main(process.argv[2])
