import { describe, expect, test } from "bun:test"
import { operations, type OperationID } from "@cairn/schema/operation/all"
import type { OperationShape } from "@cairn/schema/operation/define"
import { later } from "../src/later.ts"
import { originalOperations } from "./original-api.ts"

const ours: Record<string, OperationShape> = operations
const bare = (path: string): string => path.replace(/\{\w+\}/g, "{}")

describe("every operation of the original", () => {
  test.each(Object.entries(originalOperations))(
    "%s is in the table, or in the list of those to come",
    (id, original) => {
      const row = ours[id]
      const missing = later.find((one) => one.id === id)
      expect([row === undefined, missing === undefined]).toContain(true)
      const found = row ?? missing
      expect(found && { method: found.method, path: bare(found.path) }).toEqual({
        method: original.method,
        path: bare(original.path),
      } as never)
      if (!row) return
      expect(row.response === undefined && row.stream === undefined ? 204 : 200).toBe(original.status)
      expect(Object.keys(row.query?.shape ?? {})).toEqual(expect.arrayContaining([...(original.query ?? [])]))
    },
  )
})

test("what the original does not have is marked as ours, and nothing else is", () => {
  for (const [id, row] of Object.entries(ours))
    expect([id, row.ours === true]).toEqual([id, !(id in originalOperations)])
})

test("no two rows answer the same request", () => {
  const all = [...Object.values(ours), ...later].map(({ method, path }) => `${method} ${bare(path)}`)
  expect(all.length).toBe(new Set(all).size)
})

const typed: readonly OperationID[] = Object.keys(operations) as OperationID[]

test.each(typed)("%s says what it is", (id) => {
  const { summary, method, changes, path, params } = operations[id] as OperationShape
  expect(summary).toMatch(/^[A-Z].*[^.]$/)
  expect(changes).toBe(method !== "GET")
  const holes = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  expect(Object.keys(params?.shape ?? {})).toEqual(holes as string[])
})
