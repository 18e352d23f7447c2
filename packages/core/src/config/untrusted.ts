import type { KeyPath } from "./parse.ts"

export interface Gated {
  readonly value: Record<string, unknown>
  /** Paths of what was taken out. */
  readonly removed: readonly KeyPath[]
}

/** What a project file may not set before the user trusts the directory. `*` stands for any name. */
const forbidden: readonly string[] = [
  "model",
  "small_model",
  "model_fallback",
  "enabled_providers",
  "disabled_providers",
  "provider",
  "command.*.model",
  "command.*.variant",
  "title",
  "trust",
  "sandbox",
  "budget",
  "share",
  "autoshare",
  "autoupdate",
  "enterprise",
  "server",
  "shell",
  "snapshot",
  "mcp",
  "plugin",
  "formatter",
  "lsp",
  "skills",
  "references",
  "reference",
  "experimental",
]

/** What an untrusted project may say of an agent: how it works, not with which model, options or provider. */
const agentKeys: ReadonlySet<string> = new Set([
  "prompt",
  "description",
  "mode",
  "hidden",
  "color",
  "steps",
  "maxSteps",
  "temperature",
  "top_p",
  "permission",
  "tools",
  "disable",
])

/** A project file without what only a trusted one may say. Its permission rules stay: they can tighten, see permission/layers. */
export function untrusted(value: Record<string, unknown>): Gated {
  const removed: KeyPath[] = []
  const copy = structuredClone(value)
  for (const entry of forbidden) remove(copy, entry.split("."), [], removed)
  for (const section of ["agent", "mode"]) {
    for (const [name, agent] of fieldsOf(copy[section])) {
      for (const [key] of fieldsOf(agent)) if (!agentKeys.has(key)) remove(agent, [key], [section, name], removed)
    }
  }
  const { instructions } = copy
  if (Array.isArray(instructions)) {
    copy.instructions = instructions.filter((item: unknown, index) => {
      const inside = typeof item !== "string" || staysInside(item)
      if (!inside) removed.push(["instructions", index])
      return inside
    })
  }
  return { value: copy, removed }
}

/** What only the user's own file may say, wherever else it stands. */
export function withoutTrust(value: Record<string, unknown>): Gated {
  if (!Object.hasOwn(value, "trust")) return { value, removed: [] }
  const { trust: _, ...rest } = value
  return { value: rest, removed: [["trust"]] }
}

function remove(at: unknown, path: readonly string[], walked: KeyPath, removed: KeyPath[]): void {
  if (typeof at !== "object" || at === null || Array.isArray(at)) return
  const fields = at as Record<string, unknown>
  const [key, ...rest] = path
  for (const name of key === "*" ? Object.keys(fields) : [key!]) {
    if (!Object.hasOwn(fields, name)) continue
    if (rest.length > 0) remove(fields[name], rest, [...walked, name], removed)
    else {
      delete fields[name]
      removed.push([...walked, name])
    }
  }
}

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

/** No URL, no absolute or home path, no way up. */
function staysInside(entry: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|[/\\~$])/i.test(entry) && !entry.split(/[/\\]/).includes("..")
}
