import { z } from "zod"
import { operationGroup } from "./define.ts"

const nothing = z.record(z.string(), z.unknown())

/** What the original's clients ask for at their start, and what there is of it. */
export const integrationOperations = operationGroup({
  "lsp.status": {
    method: "GET",
    path: "/lsp",
    summary: "Language servers",
    response: z.array(
      z.object({ id: z.string(), name: z.string(), root: z.string(), status: z.enum(["connected", "error"]) }),
    ),
    reach: "directory",
    changes: false,
  },
  "formatter.status": {
    method: "GET",
    path: "/formatter",
    summary: "Formatters",
    response: z.array(z.object({ name: z.string(), extensions: z.array(z.string()), enabled: z.boolean() })),
    reach: "directory",
    changes: false,
  },
  "mcp.status": {
    method: "GET",
    path: "/mcp",
    summary: "MCP servers by their names",
    response: nothing,
    reach: "directory",
    changes: false,
  },
  "experimental.resource.list": {
    method: "GET",
    path: "/experimental/resource",
    summary: "Resources of MCP servers",
    response: nothing,
    reach: "directory",
    changes: false,
  },
  "experimental.capabilities.get": {
    method: "GET",
    path: "/experimental/capabilities",
    summary: "What the server can do beyond the usual",
    response: z.object({ backgroundSubagents: z.boolean() }),
    reach: "process",
    changes: false,
  },
  "experimental.console.get": {
    method: "GET",
    path: "/experimental/console",
    summary: "Accounts of a console; there is none",
    response: z.object({
      consoleManagedProviders: z.array(z.string()),
      activeOrgName: z.string().optional(),
      switchableOrgCount: z.number().int().nonnegative(),
    }),
    reach: "process",
    changes: false,
  },
  "experimental.workspace.list": {
    method: "GET",
    path: "/experimental/workspace",
    summary: "Workspaces elsewhere; there is none",
    response: z.array(nothing),
    reach: "process",
    changes: false,
  },
  "experimental.workspace.status": {
    method: "GET",
    path: "/experimental/workspace/status",
    summary: "The connections of workspaces elsewhere",
    response: z.array(nothing),
    reach: "process",
    changes: false,
  },
})
