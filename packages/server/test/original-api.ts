import Ajv from "ajv/dist/2020.js"
import api from "./fixture/original-api.json" with { type: "json" }

/** An operation of the original, as its own description has it. */
export interface OriginalOperation {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly query?: readonly string[]
  readonly response?: object
  readonly body?: object
  /** The content type, where it is not JSON. */
  readonly type?: string
}

export const originalOperations = api.operations as Readonly<Record<string, OriginalOperation>>

const ajv = new Ajv({ strict: false, allErrors: true })
ajv.addSchema({ $id: "original", components: { schemas: api.schemas } })
const compiled = new Map<object, ReturnType<typeof ajv.compile>>()

/** What of a value does not fit a schema of the original; empty is good. Fields that the original does not know are none of its business. */
export function misfits(schema: object, value: unknown): string[] {
  const known = compiled.get(schema)
  const check = known ?? ajv.compile(withWholeRefs(schema) as object)
  if (!known) compiled.set(schema, check)
  if (check(value)) return []
  return (check.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message ?? ""}`)
}

function withWholeRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWholeRefs)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "$ref" && typeof item === "string" ? `original${item}` : withWholeRefs(item),
    ]),
  )
}

/** The operation that a request of the original's API means, the most literal path first. */
export function originalOf(method: string, path: string): OriginalOperation | undefined {
  const found = Object.values(originalOperations).filter(
    (operation) => operation.method === method && patternOf(operation.path).test(path),
  )
  return found.toSorted((a, b) => holes(a.path) - holes(b.path))[0]
}

const holes = (path: string): number => path.split("{").length
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`)
