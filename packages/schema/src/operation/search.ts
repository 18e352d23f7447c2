import { z } from "zod"
import { SearchHit } from "../search.ts"
import { operationGroup } from "./define.ts"
import { count, cursor } from "./query.ts"

export const searchOperations = operationGroup({
  "session.search": {
    method: "GET",
    path: "/search",
    summary: "Parts of sessions in which every word stands, best first",
    query: z.object({
      query: z.string(),
      scope: z.enum(["directory", "project"]).optional(),
      limit: count.optional(),
      cursor: cursor.optional(),
    }),
    response: z.array(SearchHit),
    reach: "directory",
    changes: false,
    paged: true,
    long: true,
    ours: true,
  },
})
