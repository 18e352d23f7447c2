import type { Clock } from "@cairn/kernel/clock"
import { err, ok, type Result } from "@cairn/kernel/result"
import { type OperationShape, smallBody } from "@cairn/schema/operation/define"
import type { z } from "zod"
import { type Failure, failure } from "./failure.ts"
import { readJson } from "./read-body.ts"

interface Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

interface How {
  readonly params: Readonly<Record<string, string>>
  readonly clock: Clock
  /** A parameter that stands in the body. */
  readonly fromBody?: string
}

/** What a request says, checked against the operation's schemas; what they do not name is dropped. */
export async function readInput(
  operation: OperationShape,
  request: Request,
  { params: inPath, clock, fromBody }: How,
): Promise<Result<Input, Failure>> {
  const params = fromBody === undefined ? check(operation.params, inPath, "Params") : ok(undefined)
  if (!params.ok) return params
  const query = check(operation.query, Object.fromEntries(new URL(request.url).searchParams), "Query")
  if (!query.ok) return query
  if (!operation.body) return ok({ params: params.value, query: query.value, body: undefined })
  const json = await readJson(request, { limit: operation.bodyLimit ?? smallBody, clock })
  if (!json.ok) return json
  const body = check(operation.body, json.value, "Body")
  if (!body.ok) return body
  const named = fromBody === undefined ? params : check(operation.params, pick(json.value, fromBody), "Body")
  return named.ok ? ok({ params: named.value, query: query.value, body: body.value }) : named
}

const pick = (value: unknown, name: string): Record<string, unknown> =>
  typeof value === "object" && value !== null && name in value
    ? { [name]: (value as Record<string, unknown>)[name] }
    : {}

function check(
  schema: z.ZodType | undefined,
  value: unknown,
  kind: "Params" | "Query" | "Body",
): Result<unknown, Failure> {
  if (!schema) return ok(undefined)
  const parsed = schema.safeParse(value)
  return parsed.success ? ok(parsed.data) : err(failure("BadRequest", explain(parsed.error), { kind }))
}

/** The first problems, each with its place. */
function explain(error: z.ZodError): string {
  const [first, second, third, ...more] = error.issues
  const lines = [first, second, third].flatMap((issue) =>
    issue ? [`${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`] : [],
  )
  return `${lines.join("; ")}${more.length > 0 ? `; and ${more.length} more` : ""}`.slice(0, 1_000)
}
