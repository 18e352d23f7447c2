import type { z } from "zod"
import { nearest } from "./nearest.ts"
import type { KeyPath } from "./parse.ts"

export interface UnknownKey {
  readonly path: KeyPath
  /** Names that are known there. */
  readonly known: readonly string[]
}

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes["_zod"]["def"]

/** Keys of `value` that an object schema does not list. Objects that take any key report only what looks like a slip. */
export function unknownKeys(schema: Schema, value: unknown, path: KeyPath = []): UnknownKey[] {
  const def = schema._zod.def as Def
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
      return unknownKeys(def.innerType, value, path)
    case "union":
      return fewest(
        def.options.filter((option) => fits(option, value)).map((option) => unknownKeys(option, value, path)),
      )
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, index) => unknownKeys(def.element, item, [...path, index]))
        : []
    case "record":
      return entries(value).flatMap(([key, item]) => unknownKeys(def.valueType, item, [...path, key]))
    case "object":
      return entries(value).flatMap(([key, item]) => {
        const known = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined
        if (known) return unknownKeys(known, item, [...path, key])
        const listed = Object.keys(def.shape)
        if (!def.catchall || def.catchall._zod.def.type === "never") return [{ path: [...path, key], known: listed }]
        return slip(key, listed)
          ? [{ path: [...path, key], known: listed }]
          : unknownKeys(def.catchall, item, [...path, key])
      })
    default:
      return []
  }
}

/** In an object that takes any key, one that is nearly a known one is most likely meant as that. */
function slip(key: string, listed: readonly string[]): boolean {
  const near = nearest(key, listed)
  return near !== undefined && key.length > 4 && Math.abs(near.length - key.length) <= 1 && near !== key
}

const fits = (schema: Schema, value: unknown) => (schema as z.ZodType).safeParse(value).success
const fewest = (options: UnknownKey[][]) => options.sort((a, b) => a.length - b.length)[0] ?? []

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
