/** As much of JSON Schema as the original's OpenAPI file and zod's output use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

/** Path of a field → its type: `time.end?` → `integer`, `error?<APIError>.data.message` → `string`. */
export type Shape = Readonly<Record<string, string>>

/**
 * Field names, requiredness, types and enums of a schema as a flat table. `?` marks an optional field, `[]` the items
 * of an array, `{}` the values of a record, `<x>` the alternative of a union whose `type`, `status`, `role` or `name` is x.
 */
export function shapeOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>> = {}): Shape {
  const fields: Record<string, string> = {}
  const walk = (given: JsonSchema, path: string): void => {
    const found = resolve(given, components)
    const alternatives = found.anyOf ?? found.oneOf
    if (alternatives) {
      for (const one of alternatives) walk(one, `${path}<${nameOf(resolve(one, components))}>`)
      return
    }
    if (found.type === "array") {
      walk(found.items ?? {}, `${path}[]`)
      return
    }
    if (found.properties && Object.keys(found.properties).length > 0) {
      for (const [name, field] of Object.entries(found.properties))
        walk(field, `${path === "" ? "" : `${path}.`}${name}${found.required?.includes(name) ? "" : "?"}`)
      return
    }
    if (typeof found.additionalProperties === "object" && Object.keys(found.additionalProperties).length > 0)
      walk(found.additionalProperties, `${path}{}`)
    else fields[path] = typeOf(found)
  }
  walk(schema, "")
  return fields
}

function resolve(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (schema.$ref === undefined) return schema
  const found = components[schema.$ref.replace(/^.*\//, "")]
  if (!found) throw new Error(`${schema.$ref} is not in the file`)
  return resolve(found, components)
}

function nameOf({ properties = {} }: JsonSchema): string {
  for (const key of ["type", "status", "role", "name"]) {
    const values = enumOf(properties[key] ?? {})
    if (values?.length === 1) return String(values[0])
  }
  return "?"
}

const enumOf = (schema: JsonSchema) => schema.enum ?? (schema.const === undefined ? undefined : [schema.const])

function typeOf(schema: JsonSchema): string {
  const values = enumOf(schema)
  if (values) return values.map(String).toSorted().join("|")
  if (schema.pattern) return `${schema.type} ${schema.pattern}`
  return schema.type ?? "any"
}

/** Schemas of the v1 family that Cairn speaks. */
const wanted = [
  "Session",
  "SessionStatus",
  "SnapshotFileDiff",
  "UserMessage",
  "AssistantMessage",
  "Part",
  "ToolState",
  "FilePartSource",
  "PermissionRule",
  "PermissionRequest",
  "QuestionRequest",
  "QuestionAnswer",
  "Todo",
] as const

/** Events of the v1 family that Cairn sends. */
const wantedEvents = [
  "session.created",
  "session.updated",
  "session.deleted",
  "session.status",
  "session.idle",
  "session.error",
  "message.updated",
  "message.removed",
  "message.part.updated",
  "message.part.delta",
  "message.part.removed",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
  "todo.updated",
]

/** Names of an event's properties, `?` behind the optional ones. */
export function propertiesOf(event: JsonSchema): string[] {
  const { properties = {}, required = [] } = event.properties?.["properties"] ?? {}
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .toSorted()
}

/** `bun packages/schema/test/shape.ts <openapi.json>` writes the fixture anew from the original's OpenAPI file. */
if (import.meta.main) {
  const source: { components: { schemas: Record<string, JsonSchema> } } = await Bun.file(process.argv[2] ?? "").json()
  const { schemas } = source.components
  const shapes = wanted.map((name) => [name, shapeOf({ $ref: `#/components/schemas/${name}` }, schemas)])
  const events = wantedEvents.map((type) => {
    const named = Object.entries(schemas).find(
      ([name, schema]) => name.startsWith("Event") && schema.properties?.["type"]?.enum?.[0] === type,
    )
    if (!named) throw new Error(`the file has no event ${type}`)
    return [type, propertiesOf(named[1])]
  })
  const fixture = { schemas: Object.fromEntries(shapes), events: Object.fromEntries(events) }
  await Bun.write(`${import.meta.dir}/fixture/original-shapes.json`, `${JSON.stringify(fixture, null, 2)}\n`)
}
