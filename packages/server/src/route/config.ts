import { ok } from "@cairn/kernel/result"
import type { Routes } from "../route.ts"

export const configRoutes: Routes<"config.get" | "config.providers" | "provider.list"> = {
  "config.get": ({ engine }) => ok(engine.configView().config),
  async "config.providers"({ engine }) {
    const { all, default: defaults, connected } = await engine.providers()
    return ok({ providers: all.filter(({ id }) => connected.includes(id)), default: defaults })
  },
  "provider.list": async ({ engine }) => ok(await engine.providers()),
}
