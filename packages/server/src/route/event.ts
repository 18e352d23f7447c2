import { err, ok, type Result } from "@cairn/kernel/result"
import type { Failure } from "../failure.ts"
import type { InstanceLease } from "../instances.ts"
import type { Connection, Routes, ServerContext } from "../route.ts"

type EventRoute = "event.subscribe" | "global.event"

/** How long a client whose stream was ended here may take for what is left of it. s */
const partingSeconds = 10

export const eventRoutes: Routes<EventRoute> = {
  "event.subscribe": async ({ engine, server, request, connection }) => {
    const held = await hold(server, engine.directory)
    return stream({ server, request, connection }, held, engine.directory)
  },
  // With an engine of any directory, what other processes do is told too; without one, the rest is.
  "global.event": async ({ server, request, connection }) =>
    stream({ server, request, connection }, await hold(server, server.directory)),
}

/** The engine stays as long as somebody listens. */
async function hold(server: ServerContext, directory: string): Promise<InstanceLease | undefined> {
  const opened = await server.instances.open(directory)
  if (opened.ok) return opened.value
  server.log.warn("events are told without the engine of a directory", { directory, why: opened.error.message })
  return undefined
}

interface Asked {
  readonly server: ServerContext
  readonly request: Request
  readonly connection: Connection
}

function stream(
  { server, request, connection }: Asked,
  held: InstanceLease | undefined,
  directory?: string,
): Result<Response, Failure> {
  const opened = server.events.open({
    directory,
    after: request.headers.get("last-event-id") ?? undefined,
    ended(by) {
      held?.[Symbol.dispose]()
      if (by === "server") connection.closeIn(partingSeconds)
    },
  })
  if (opened.ok) return ok(new Response(opened.value, { headers }))
  held?.[Symbol.dispose]()
  return err(opened.error)
}

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
}
