import { allOperations } from "@cairn/schema/operation/all"
import type { Operation } from "@cairn/schema/operation/define"
import { FailureBody } from "@cairn/schema/operation/failure"
import { shapes } from "@cairn/schema/operation/shapes"
import { z } from "zod"

type Json = Record<string, unknown>

const general = [400, 401, 403, 413, 415, 429, 500, 503] as const

/** The whole API as OpenAPI 3.1, made from the table. Shapes that have a name stand once, under `components`. */
export function describe(version: string): Json {
  const described = describeAll()
  const paths: Record<string, Json> = {}
  for (const operation of allOperations()) {
    const at = (paths[operation.path] ??= {})
    at[operation.method.toLowerCase()] = describeOperation(operation, described)
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cairn", version, description: "The engine over HTTP." },
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: {
      schemas: described.components,
      securitySchemes: { bearer: { type: "http", scheme: "bearer" }, basic: { type: "http", scheme: "basic" } },
    },
  }
}

function describeOperation(operation: Operation, described: Described): Json {
  const { id, summary, body, errors = [] } = operation
  const tag = operation.path.split("/")[1] ?? ""
  const statuses = [...general, ...errors].toSorted((a, b) => a - b)
  return {
    operationId: id,
    summary,
    tags: [tag],
    parameters: [
      ...parametersOf(operation.params, "path", described),
      ...parametersOf(operation.query, "query", described),
      ...placeOf(operation),
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { "application/json": { schema: described.of(body, "input") } },
      },
    }),
    responses: {
      ...success(operation, described),
      ...Object.fromEntries(statuses.map((status) => [status, failed])),
    },
    ...(operation.ours && { "x-cairn": true }),
  }
}

const failed = {
  description: "No success; the message says why",
  content: { "application/json": { schema: { $ref: "#/components/schemas/FailureBody" } } },
}

function success({ response, stream, paged }: Operation, described: Described): Json {
  if (stream === "socket") return { 101: { description: "A WebSocket" } }
  if (!response) return { 204: { description: "Done" } }
  const type = stream === "events" ? "text/event-stream" : stream === "text" ? "text/plain" : "application/json"
  const headers = paged && {
    headers: {
      "X-Next-Cursor": { description: "Where the next page begins, if there is one", schema: { type: "string" } },
    },
  }
  return { 200: { description: "Done", ...headers, content: { [type]: { schema: described.of(response, "output") } } } }
}

function parametersOf(schema: z.ZodObject | undefined, place: "path" | "query", described: Described): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = described.of(schema, "input") as { properties?: Json; required?: string[] }
  return Object.entries(properties).map(([name, each]) => ({
    ...{ name, in: place, schema: each },
    required: place === "path" || required.includes(name),
  }))
}

/** How a call says which directory it means. */
const placeOf = ({ reach }: Operation): Json[] =>
  reach === "directory" ? [{ name: "directory", in: "query", required: false, schema: { type: "string" } }] : []

const uri = (name: string): string => `#/components/schemas/${name}`

/** Every schema of the table as JSON Schema, made in one go for what comes in and in one for what goes out. */
interface Described {
  readonly components: Json
  /** A reference, for a schema that has a name. */
  of(schema: z.ZodType, direction: "input" | "output"): Json
}

function describeAll(): Described {
  const named = new Map<z.ZodType, string>()
  for (const [name, schema] of Object.entries({ ...shapes, FailureBody })) named.set(schema, name)
  const directions = { input: new Map(named), output: new Map(named) }
  for (const { id, params, query, body, response } of allOperations()) {
    for (const [part, schema] of Object.entries({ params, query, body }))
      if (schema && !directions.input.has(schema)) directions.input.set(schema, `${id} ${part}`)
    if (response && !directions.output.has(response)) directions.output.set(response, `${id} response`)
  }
  const made = { input: toJson(directions.input, "input"), output: toJson(directions.output, "output") }
  return {
    components: Object.fromEntries([...named.values()].map((name) => [name, made.output[name]])),
    of(schema, direction) {
      const name = named.get(schema)
      return name === undefined
        ? (made[direction][directions[direction].get(schema) ?? ""] as Json)
        : { $ref: uri(name) }
    },
  }
}

function toJson(schemas: ReadonlyMap<z.ZodType, string>, io: "input" | "output"): Json {
  const registry = z.registry<{ id?: string }>()
  // What belongs to one operation alone is not referred to from another one that uses it too.
  for (const [schema, id] of schemas) registry.add(id.includes(" ") ? schema.clone() : schema, { id })
  const made = z.toJSONSchema(registry, { io, uri, unrepresentable: "any" }).schemas
  return Object.fromEntries(Object.entries(made).map(([name, schema]) => [name, bare(schema)]))
}

/** Without what only a file of its own needs. */
function bare(schema: object): Json {
  const { $schema: _, $id: __, ...rest } = schema as Json
  return rest
}
