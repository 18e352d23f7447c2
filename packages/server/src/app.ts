import { Interrupted } from "@cairn/kernel/interrupted"
import { allOperations, type OperationID, operations } from "@cairn/schema/operation/all"
import type { Operation } from "@cairn/schema/operation/define"
import { type Context, Hono } from "hono"
import type { Engine } from "@cairn/schema/engine"
import { aliases } from "./aliases.ts"
import { type Failure, failure, notFound } from "./failure.ts"
import { type Authentication } from "./guard/authentication.ts"
import { checkContentType } from "./guard/content-type.ts"
import { checkHost } from "./guard/host.ts"
import { allowedOrigin, checkOrigin, corsHeaders, preflightHeaders } from "./guard/origin.ts"
import { later } from "./later.ts"
import { pickEngine } from "./pick-engine.ts"
import { readInput } from "./read-input.ts"
import type { Call, Connection, Page, Route, ServerContext } from "./route.ts"
import { routes } from "./routes.ts"

export interface AppOptions extends ServerContext {
  readonly authentication: Authentication
  /** The name or address that the server is bound to. */
  readonly hostname: string
  /** Origins of pages that may use the server. */
  readonly origins: readonly string[]
}

type Env = { Bindings: Connection }

/** Every answer, also a failure. */
const always = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
}

/**
 * The HTTP API: the checks, in their order, then one route for each row of the table. Nothing is decided here but which
 * engine a call goes to.
 */
export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>({ strict: false })
  app.use("*", async (context, next) => {
    await next()
    const headers = { ...always, ...corsHeaders(allowedOrigin(context.req.raw, options.origins)) }
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value)
  })
  app.use("*", async (context, next) => {
    const { raw: request, method } = context.req
    const refused = checkHost(request, options.hostname) ?? checkOrigin(request, options.origins)
    if (refused) return tell(refused)
    const origin = allowedOrigin(request, options.origins)
    if (method === "OPTIONS" && origin !== undefined && request.headers.has("access-control-request-method"))
      return new Response(null, { status: 204, headers: preflightHeaders(origin) })
    const unknown = options.authentication.check(request, context.env.address)
    return unknown ? tell(unknown) : await next()
  })
  for (const operation of allOperations()) mount(app, operation, options)
  for (const { method, path, to, fromBody } of aliases)
    mount(app, { ...operations[to], method, path: path as `/${string}` }, options, fromBody)
  for (const { method, path, id } of later)
    app.on(method, honoPath(path), () => tell(failure("NotImplementedError", `${id} does not exist yet.`)))
  app.notFound((context) => tell(notFound(`There is nothing at ${context.req.method} ${context.req.path}.`)))
  app.onError((error) => tell(thrown(error, options)))
  return app
}

/** What a route threw is a defect, or the engine was closed under it. */
function thrown(error: Error, { log }: AppOptions): Failure {
  if (error instanceof Interrupted) return failure("UnavailableError", "The server is closing this directory.")
  log.error("a route failed", { error })
  return failure("UnknownError", "Something went wrong inside of the server; its log says what.")
}

function mount(app: Hono<Env>, operation: Operation<OperationID>, options: AppOptions, fromBody?: string): void {
  // Every route takes the call of its own row; that they belong together is what the type of `routes` says.
  const route = routes[operation.id] as Route<Operation>
  app.on(operation.method, honoPath(operation.path), async (context) => {
    const { raw: request } = context.req
    const refused = operation.changes ? checkContentType(request) : undefined
    if (refused) return tell(refused)
    const read = await readInput(operation, request, {
      ...{ params: context.req.param(), clock: options.clock },
      ...(fromBody !== undefined && { fromBody }),
    })
    if (!read.ok) return tell(read.error)
    if (operation.long || operation.stream) context.env.keepOpen()
    const input = read.value as Pick<Call<Operation>, "params" | "query" | "body">
    return await answer(context, operation, options, async (engine) =>
      route({
        ...input,
        ...{ engine: engine as Call<Operation>["engine"], server: options, request, connection: context.env },
      }),
    )
  })
}

/** Calls the route with the engine it speaks to, and writes down what comes. */
async function answer(
  context: Context<Env>,
  operation: Operation,
  options: AppOptions,
  call: (engine: Engine | undefined) => Promise<Awaited<ReturnType<Route<Operation>>>>,
): Promise<Response> {
  const { raw: request } = context.req
  if (operation.reach === "process") return told(operation, request, await call(undefined))
  const sessionID = context.req.param("sessionID")
  const picked = await pickEngine(request, { ...options, sessionID })
  if (!picked.ok) return tell(picked.error)
  using lease = picked.value
  return told(operation, request, await call(lease.engine))
}

function told(operation: Operation, request: Request, outcome: Awaited<ReturnType<Route<Operation>>>): Response {
  if (!outcome.ok) return tell(outcome.error)
  const value: unknown = outcome.value
  if (value instanceof Response) return value
  if (!operation.response) return new Response(null, { status: 204 })
  if (!operation.paged) return Response.json(value)
  const { items, next } = value as Page<unknown>
  return Response.json(items, { headers: next === undefined ? {} : nextPage(operation, request, next) })
}

function nextPage({ query }: Operation, request: Request, next: string): Record<string, string> {
  const url = new URL(request.url)
  url.searchParams.set(query && "before" in query.shape ? "before" : "cursor", next)
  return { "x-next-cursor": next, link: `<${url.href}>; rel="next"` }
}

const tell = ({ status, body, headers }: Failure): Response =>
  Response.json(body, { status, ...(headers && { headers }) })

/** `/session/{sessionID}` as Hono writes it. */
const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1")
