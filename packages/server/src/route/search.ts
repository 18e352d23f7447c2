import { err, ok } from "@cairn/kernel/result"
import { failureOf } from "../failure.ts"
import type { Routes } from "../route.ts"

export const searchRoutes: Routes<"session.search"> = {
  async "session.search"({ engine, query: { scope = "project", query, limit, cursor } }) {
    const page = await engine.search({
      ...{ query, scope },
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    })
    return page.ok ? ok({ items: [...page.value.hits], next: page.value.cursor }) : err(failureOf(page.error))
  },
}
