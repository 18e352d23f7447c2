import { ok } from "@cairn/kernel/result"
import type { Routes } from "../route.ts"

export const globalRoutes: Routes<"global.health" | "global.dispose" | "app.log" | "doc.get"> = {
  "global.health": ({ server }) => ok({ healthy: true, version: server.version }),
  async "global.dispose"({ server }) {
    await server.instances.dropAll()
    return ok(true)
  },
  "app.log": ({ server, body: { service, level, message, extra } }) => {
    server.log.child("client")[level](message, { service, ...(extra && { extra }) })
    return ok(true)
  },
  "doc.get": async ({ server }) => ok((await import("../document.ts")).describe(server.version)),
}
