import { ok } from "@cairn/kernel/result"
import type { Routes } from "../route.ts"

type IntegrationRoute =
  | "lsp.status"
  | "formatter.status"
  | "mcp.status"
  | "experimental.resource.list"
  | "experimental.capabilities.get"
  | "experimental.console.get"
  | "experimental.workspace.list"
  | "experimental.workspace.status"

/** There is none of these yet, and that is what clients are told: they start without them. */
export const integrationRoutes: Routes<IntegrationRoute> = {
  "lsp.status": () => ok([]),
  "formatter.status": () => ok([]),
  "mcp.status": () => ok({}),
  "experimental.resource.list": () => ok({}),
  "experimental.capabilities.get": () => ok({ backgroundSubagents: false }),
  "experimental.console.get": () => ok({ consoleManagedProviders: [], switchableOrgCount: 0 }),
  "experimental.workspace.list": () => ok([]),
  "experimental.workspace.status": () => ok([]),
}
