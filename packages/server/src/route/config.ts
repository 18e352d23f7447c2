import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { type Failure, failureOf } from "../failure.ts"
import type { Routes } from "../route.ts"

type ConfigRoute =
  | "config.get"
  | "config.update"
  | "global.config.get"
  | "global.config.update"
  | "config.providers"
  | "provider.list"
  | "provider.auth"
  | "auth.set"
  | "auth.remove"

const byKey = [{ type: "api" as const, label: "API key" }]

export const configRoutes: Routes<ConfigRoute> = {
  "config.get": ({ engine }) => ok(engine.configView().config),
  async "config.update"({ engine, server, body }) {
    const config = await engine.updateConfig("project", body)
    if (!config.ok) return err(failureOf(config.error))
    server.instances.renew(engine.directory)
    return ok(config.value)
  },
  "global.config.get": ({ engine }) => ok(engine.configView().config),
  async "global.config.update"({ engine, server, body }) {
    const config = await engine.updateConfig("user", body)
    if (!config.ok) return err(failureOf(config.error))
    for (const { directory } of server.instances.engines()) server.instances.renew(directory)
    return ok(config.value)
  },
  async "config.providers"({ engine }) {
    const { all, default: defaults, connected } = await engine.providers()
    return ok({ providers: all.filter(({ id }) => connected.includes(id)), default: defaults })
  },
  "provider.list": async ({ engine }) => ok(await engine.providers()),
  async "provider.auth"({ engine }) {
    const { all } = await engine.providers()
    return ok(Object.fromEntries(all.map(({ id }) => [id, byKey])))
  },
  "auth.set": async ({ engine, params, body }) => done(await engine.saveAuth(params.providerID, body)),
  "auth.remove": async ({ engine, params }) => done(await engine.saveAuth(params.providerID, undefined)),
}

const done = (result: Result<void, SetupError>): Result<boolean, Failure> =>
  result.ok ? ok(true) : err(failureOf(result.error))
