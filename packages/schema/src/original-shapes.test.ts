import { describe, expect, test } from "bun:test"
import { z } from "zod"
import { type JsonSchema, propertiesOf, shapeOf } from "../test/shape.ts"
import fixture from "../test/fixture/original-shapes.json" with { type: "json" }
import { DurableEvent, TransientEvent } from "./event.ts"
import { AssistantMessage, UserMessage } from "./message.ts"
import { FilePartSource, Part, ToolState } from "./part.ts"
import { PermissionRequest, PermissionRule } from "./permission.ts"
import { QuestionAnswer, QuestionRequest } from "./question.ts"
import { Session, SessionStatus, SnapshotFileDiff } from "./session.ts"
import { Todo } from "./todo.ts"
import { ServerEvent } from "./wire-event.ts"

type Name = keyof typeof fixture.schemas

const schemas: Record<Name, z.ZodType> = {
  Session,
  SessionStatus,
  SnapshotFileDiff,
  UserMessage,
  AssistantMessage,
  Part,
  ToolState,
  FilePartSource,
  PermissionRule,
  PermissionRequest,
  QuestionRequest,
  QuestionAnswer,
  Todo,
}

/** What we add. Nothing else may differ. */
const ours: Partial<Record<Name, readonly string[]>> = {
  UserMessage: ["metadata?"],
  AssistantMessage: [
    "toolTokens?{}",
    "unpriced?",
    "estimated?",
    ...["providerID", "modelID", "message", "until"].map((field) => `fallback?.${field}`),
  ],
  Part: ["<tool>.state<error>.kind?", "<retry>.time.next?"],
  ToolState: ["<error>.kind?"],
}

/** What we add to events. The durable delta says where it belongs; it never leaves the log. */
const oursInEvents: Readonly<Record<string, readonly string[]>> = {
  "message.part.delta": ["offset?"],
  "server.connected": ["resync?"],
  "session.deleted": ["spent?"],
  "permission.replied": ["hunks?", "message?", "scope?"],
}

const jsonOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" }) as JsonSchema

function differences(name: Name, schema: z.ZodType) {
  const theirs: Record<string, string> = fixture.schemas[name]
  const mine = shapeOf(jsonOf(schema))
  const allowed = ours[name] ?? []
  return {
    missing: Object.keys(theirs).filter((field) => !(field in mine)),
    added: Object.keys(mine).filter((field) => !(field in theirs) && !allowed.includes(field)),
    otherType: Object.keys(theirs)
      .filter((field) => field in mine && mine[field] !== theirs[field])
      .map((field) => `${field}: ${mine[field]} for ${theirs[field]}`),
    notAdded: allowed.filter((field) => !(field in mine) || field in theirs),
  }
}
const none = { missing: [], added: [], otherType: [], notAdded: [] }

describe("fields, requiredness, types and enums are the original's", () => {
  for (const [name, schema] of Object.entries(schemas))
    test(name, () => expect(differences(name as Name, schema)).toEqual(none))
})

test("what we add is optional, so that neither side misses what the other leaves out", () => {
  for (const field of [...Object.values(ours), ...Object.values(oursInEvents)].flat())
    expect(field).toMatch(/\?(\{\}|\.\w+)?$/)
})

describe("properties of events are the original's", () => {
  const options = [...TransientEvent.options, ...DurableEvent.options, ...ServerEvent.options]
  for (const [type, theirs] of Object.entries(fixture.events))
    test(type, () => {
      // The transient one of a type is what clients see; a durable one of the same type may say more.
      const sent = options.find((option) => option.shape.type.value === type)
      if (!sent) throw new Error(`no schema for ${type}`)
      expect(propertiesOf(jsonOf(sent))).toEqual([...theirs, ...(oursInEvents[type] ?? [])].toSorted())
    })
})

describe("the comparison itself", () => {
  const shape = (schema: z.ZodType) => shapeOf(jsonOf(schema))
  test("sees names, requiredness, types, enums, arrays, records and unions", () => {
    const kinds = z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), n: z.number().int() }),
      z.object({ type: z.literal("b"), list: z.array(z.string()).optional() }),
    ])
    expect(shape(z.object({ kinds, map: z.record(z.string(), z.boolean()), pick: z.enum(["y", "x"]) }))).toEqual({
      "kinds<a>.type": "a",
      "kinds<a>.n": "integer",
      "kinds<b>.type": "b",
      "kinds<b>.list?[]": "string",
      "map{}": "boolean",
      pick: "x|y",
    })
  })

  test("a renamed, dropped, loosened or retyped field is a difference", () => {
    const changed = (value: z.ZodType) => differences("Todo", value)
    expect(changed(Todo.omit({ status: true })).missing).toEqual(["status"])
    expect(changed(Todo.extend({ id: z.string() })).added).toEqual(["id"])
    expect(changed(Todo.partial({ status: true }))).toMatchObject({ missing: ["status"], added: ["status?"] })
    expect(changed(Todo.extend({ status: z.number() })).otherType).toEqual(["status: number for string"])
  })
})
