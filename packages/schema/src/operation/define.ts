import type { z } from "zod"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** What one operation is. The server's route, its entry in `GET /doc` and the client's method are made from this alone. */
export interface OperationShape {
  readonly method: Method
  /** Parameters stand in braces: `/session/{sessionID}`. */
  readonly path: `/${string}`
  /** One sentence for the document. */
  readonly summary: string
  readonly params?: z.ZodObject
  /** Of a query every value comes as text: numbers and booleans use `count`, `time` and `flag` of `query.ts`. */
  readonly query?: z.ZodObject
  /** JSON. A schema that takes `undefined` takes an absent body. */
  readonly body?: z.ZodType
  /** JSON of the 200. Absent: the answer is 204 without a body, unless it is a stream. */
  readonly response?: z.ZodType
  /** The answer is no JSON: server-sent events (`response` is what one event holds), a WebSocket, or plain text. */
  readonly stream?: "events" | "socket" | "text"
  /** `directory`: it speaks to the engine of a directory, which `?directory=` or a header names. */
  readonly reach: "directory" | "process"
  /** It changes state: what is no JSON is refused. */
  readonly changes: boolean
  /** The list is cut into pages: the header `X-Next-Cursor` leads to the next one. */
  readonly paged?: true
  /** It may take as long as a turn: no idle timeout ends it. */
  readonly long?: true
  /** Bytes of the body, where they are not `smallBody`. */
  readonly bodyLimit?: number
  /** Statuses beside those that any operation may have (400, 401, 403, 413, 415, 429, 500, 503). */
  readonly errors?: readonly (404 | 409 | 501)[]
  /** The original has no such operation. */
  readonly ours?: true
}

export type Operation<Id extends string = string> = OperationShape & { readonly id: Id }

/** Bytes that a body may have where the operation does not say otherwise. */
export const smallBody = 1024 * 1024
/** Bytes of a body that may hold files. */
export const largeBody = 32 * 1024 * 1024

/** A group of the table: every row gets its key as its id, which is the original's operationId. */
export function operationGroup<const T extends Record<string, OperationShape>>(
  rows: T,
): { readonly [K in keyof T & string]: T[K] & { readonly id: K } } {
  const named = Object.entries(rows).map(([id, row]) => [id, { ...row, id }])
  return Object.fromEntries(named) as { readonly [K in keyof T & string]: T[K] & { readonly id: K } }
}

type Out<T> = T extends z.ZodType ? z.output<T> : undefined
type In<T> = T extends z.ZodType ? z.input<T> : undefined
type Field<O, K extends string> = O extends { readonly [P in K]: infer T } ? T : undefined

/** What a route gets after validation. */
export type ParamsOf<O> = Out<Field<O, "params">>
export type QueryOf<O> = Out<Field<O, "query">>
export type BodyOf<O> = Out<Field<O, "body">>
/** What a client gives. */
export type ParamsIn<O> = In<Field<O, "params">>
export type QueryIn<O> = In<Field<O, "query">>
export type BodyIn<O> = In<Field<O, "body">>
/** What the answer holds; of a stream, what each event holds. */
export type ResponseOf<O> = Out<Field<O, "response">>
