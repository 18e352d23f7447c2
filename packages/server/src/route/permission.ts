import type { Engine } from "@cairn/schema/engine"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { PermissionReply } from "@cairn/schema/permission"
import { type Failure, failure, notFound } from "../failure.ts"
import type { Routes, ServerContext } from "../route.ts"

export const permissionRoutes: Routes<"permission.list" | "permission.reply" | "permission.respond"> = {
  "permission.list": ({ engine }) => ok(engine.pendingAsks()),
  "permission.reply": ({ engine, server, params, body }) => reply(engine, server, params.requestID, body),
  "permission.respond": ({ engine, server, params, body }) =>
    reply(engine, server, params.permissionID, { reply: body.response }),
}

/** An ask has an id of its own: it is found wherever it waits, whichever directory the call names. */
function reply(engine: Engine, server: ServerContext, id: string, answer: PermissionReply): Result<boolean, Failure> {
  const asking = [engine, ...server.instances.engines()].find((one) => one.pendingAsks().some((ask) => ask.id === id))
  const replied = (asking ?? engine).replyPermission(id, answer)
  if (replied.ok) return ok(true)
  const { kind, message } = replied.error
  return err(kind === "unknown" ? notFound(message) : failure("BadRequest", message, { kind: "Body" }))
}
