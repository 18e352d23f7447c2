import { ok } from "@cairn/kernel/result"
import type { Routes } from "../route.ts"

export const globalRoutes: Routes<"global.health"> = {
  "global.health": ({ server }) => ok({ healthy: true, version: server.version }),
}
