import { z } from "zod"
import { operationGroup } from "./define.ts"

export const Health = z.object({ healthy: z.literal(true), version: z.string() })

export const globalOperations = operationGroup({
  "global.health": {
    method: "GET",
    path: "/global/health",
    summary: "Whether the server works, and its version",
    response: Health,
    reach: "process",
    changes: false,
  },
})
