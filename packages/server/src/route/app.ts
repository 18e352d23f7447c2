import { ok } from "@cairn/kernel/result"
import type { Routes } from "../route.ts"

type AppRoute = "app.agents" | "app.skills" | "command.list" | "path.get" | "instance.dispose"

export const appRoutes: Routes<AppRoute> = {
  "app.agents": ({ engine }) => ok(engine.agents()),
  // There are none yet: an empty list is what there is.
  "app.skills": () => ok([]),
  "command.list": () => ok([]),
  "path.get": ({ engine: { paths, worktree, directory } }) => {
    const { home, state, config, data, cache } = paths
    return ok({ home, state, config, data, cache, worktree, directory })
  },
  async "instance.dispose"({ engine, server }) {
    await server.instances.drop(engine.directory)
    return ok(true)
  },
}
