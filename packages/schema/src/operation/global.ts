import { z } from "zod"
import { operationGroup } from "./define.ts"

export const Health = z.object({ healthy: z.literal(true), version: z.string() })

/** A line that a client wants in the log. What is long is cut there. */
export const LogLine = z.object({
  service: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  extra: z.record(z.string(), z.unknown()).optional(),
})

export const globalOperations = operationGroup({
  "global.health": {
    method: "GET",
    path: "/global/health",
    summary: "Whether the server works, and its version",
    response: Health,
    reach: "process",
    changes: false,
  },
  "global.dispose": {
    method: "POST",
    path: "/global/dispose",
    summary: "Closes what the server keeps of every directory, and interrupts what runs there",
    response: z.boolean(),
    reach: "process",
    changes: true,
    long: true,
  },
  "app.log": {
    method: "POST",
    path: "/log",
    summary: "Writes a line to the server's log",
    body: LogLine,
    response: z.boolean(),
    reach: "process",
    changes: true,
  },
  "doc.get": {
    method: "GET",
    path: "/doc",
    summary: "This description, as OpenAPI 3.1",
    response: z.record(z.string(), z.unknown()),
    reach: "process",
    changes: false,
    ours: true,
  },
})
