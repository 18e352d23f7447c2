import { importsOf, type Import } from "./imports.ts"
import { isCode, isTest, packageOf, render, type Finding, type SourceFile } from "./source.ts"

/** Package → packages it may import. Everyone may import `kernel`, which imports nothing, and `schema`. */
const packageArrows: Record<string, readonly string[] | "everything"> = {
  kernel: [],
  schema: ["kernel"],
  core: [],
  server: ["core"],
  sdk: [],
  plugin: [],
  tui: ["sdk"],
  web: ["sdk"],
  desktop: ["sdk", "web"],
  acp: ["sdk"],
  slack: ["sdk"],
  vscode: ["sdk"],
  cli: "everything",
  testkit: [],
}
const common = ["kernel", "schema"]
const developmentOnly = "testkit"

/** Packages that may use only these modules from outside the workspace; the others follow their package.json. */
const externals: Record<string, readonly string[]> = { kernel: [], schema: ["zod"], sdk: [] }

/**
 * Folder of `packages/core/src` → folders it may import, or files at the top. Those files import what they
 * like.
 */
const folderArrows: Record<string, readonly string[]> = {
  store: [],
  process: [],
  net: [],
  trace: ["net"],
  stats: ["store", "session"],
  config: [],
  workspace: ["process"],
  permission: ["workspace", "process"],
  model: ["config", "net"],
  agent: ["config", "permission"],
  instruction: ["workspace", "net"],
  prompt: ["agent", "workspace", "instruction"],
  tool: ["permission", "process", "workspace", "net"],
  probe: ["tool", "permission", "workspace", "config", "model", "agent"],
  doctor: ["store", "process", "net", "config", "workspace", "permission", "model", "engine-options.ts"],
  session: [
    "store",
    "process",
    "net",
    "config",
    "workspace",
    "permission",
    "model",
    "agent",
    "instruction",
    "prompt",
    "tool",
  ],
}
const core = "packages/core/src/"

/** Checks package arrows, the folder rules inside core, and import cycles between files. Type-only imports count. */
export function layers(files: readonly SourceFile[]): Finding[] {
  const findings: Finding[] = []
  const known = new Set(files.map((file) => file.path))
  const graph = new Map<string, string[]>()
  for (const file of files) {
    if (!isCode(file.path)) continue
    const targets: string[] = []
    for (const entry of importsOf(file.text)) {
      const target = entry.computed ? undefined : resolve(file.path, entry.specifier)
      const message = objection(file.path, entry, target)
      if (message) findings.push({ path: file.path, line: entry.line, message })
      if (target && known.has(target)) targets.push(target)
    }
    graph.set(file.path, targets)
  }
  for (const cycle of cycles(graph)) {
    const [first = ""] = cycle
    findings.push({ path: first, line: 0, message: `import cycle: ${[...cycle, first].join(" → ")}` })
  }
  return findings
}

/** Path of the file an import means: relative, or `@cairn/<package>/<file>`. Undefined for modules from outside. */
function resolve(from: string, specifier: string): string | undefined {
  const own = /^@cairn\/([^/]+)(?:\/(.+))?$/.exec(specifier)
  if (own) return `packages/${own[1]}/src/${own[2] ?? "index"}.ts`
  if (!specifier.startsWith(".")) return undefined
  const parts = from.split("/").slice(0, -1)
  for (const part of specifier.replace(/[?#].*$/, "").split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

function objection(from: string, entry: Import, target: string | undefined): string | undefined {
  const owner = packageOf(from)
  if (!owner) return undefined
  if (entry.computed) return isTest(from) ? undefined : "import() must name its module by a plain string"
  if (target === undefined) return objectionToExternal(from, owner, entry.specifier)
  return objectionToPackage(from, owner, entry.specifier, target) ?? objectionToFolder(from, target)
}

function objectionToExternal(from: string, owner: string, specifier: string): string | undefined {
  const allowed = externals[owner]
  if (!allowed || isTest(from)) return undefined
  if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return undefined
  return `${owner} must not import ${specifier} (allowed from outside: ${allowed.join(", ") || "nothing"})`
}

function objectionToPackage(from: string, owner: string, specifier: string, target: string): string | undefined {
  const other = packageOf(target)
  if (!other) return isTest(from) ? undefined : `${owner} must not import ${target}, which is outside packages/`
  const relative = specifier.startsWith(".")
  if (other === owner) return relative || isTest(from) ? undefined : `import ${specifier} by its relative path`
  if (relative) return `import another package by its name, @cairn/${other}/…, not ${specifier}`
  if (other === developmentOnly) return isTest(from) ? undefined : `${developmentOnly} is for tests only`
  const arrows = packageArrows[owner]
  if (!arrows) return `package ${owner} has no entry in script/check/layers.ts`
  if (arrows === "everything" || arrows.includes(other)) return undefined
  if (common.includes(other) && !common.includes(owner)) return undefined
  return `${owner} must not import ${other} (allowed: ${[...common.filter((name) => !common.includes(owner) && name !== owner), ...arrows].join(", ") || "nothing"})`
}

function objectionToFolder(from: string, target: string): string | undefined {
  if (!from.startsWith(core) || !target.startsWith(core) || isTest(from)) return undefined
  const [folder = "", inside] = from.slice(core.length).split("/")
  if (inside === undefined) return undefined
  const [other = "", otherInside] = target.slice(core.length).split("/")
  if (other === folder) return undefined
  const arrows = folderArrows[folder]
  if (!arrows) return `folder core/src/${folder} has no entry in script/check/layers.ts`
  if (arrows.includes(other)) return undefined
  if (otherInside === undefined) return `core/src/${folder} must not import ${other}: nothing reaches back up`
  return `core/src/${folder} must not import core/src/${other} (allowed: ${arrows.join(", ") || "nothing"})`
}

/** One cycle per group of files that import each other in a ring, each as the shortest path found from its first file. */
export function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  for (const group of components(graph)) {
    const [start] = group.toSorted()
    if (start === undefined) continue
    const ring = ringFrom(start, new Set(group), graph)
    if (ring) found.push(ring)
  }
  return found
}

/** Shortest way from `start` back to itself inside `group` (breadth first), or undefined. */
function ringFrom(start: string, group: Set<string>, graph: ReadonlyMap<string, readonly string[]>) {
  const ways: string[][] = [[start]]
  const seen = new Set<string>()
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return way
      if (!group.has(next) || seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

/** Strongly connected components (Tarjan), without recursion so that depth does not matter. */
function components(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const result: string[][] = []
  for (const root of graph.keys()) {
    if (index.has(root)) continue
    const path: { node: string; next: number }[] = [{ node: root, next: 0 }]
    while (path.length > 0) {
      const top = path.at(-1)
      if (!top) break
      if (!index.has(top.node)) {
        index.set(top.node, index.size)
        low.set(top.node, index.size - 1)
        open.push(top.node)
        isOpen.add(top.node)
      }
      const child = graph.get(top.node)?.[top.next++]
      if (child !== undefined) {
        if (!index.has(child)) path.push({ node: child, next: 0 })
        else if (isOpen.has(child)) low.set(top.node, Math.min(low.get(top.node) ?? 0, index.get(child) ?? 0))
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent) low.set(parent.node, Math.min(low.get(parent.node) ?? 0, low.get(top.node) ?? 0))
      if (low.get(top.node) === index.get(top.node)) {
        const group = open.splice(open.lastIndexOf(top.node))
        for (const node of group) isOpen.delete(node)
        result.push(group)
      }
    }
  }
  return result
}

/** The check as `check.ts` runs it. */
export function checkLayers(files: readonly SourceFile[]): { failures: string[]; notes: string[] } {
  return { failures: render(layers(files)), notes: [] }
}
