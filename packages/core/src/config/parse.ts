import { err, ok, type Result } from "@cairn/kernel/result"
import type { PermissionAction, PermissionRule, PermissionRuleset } from "@cairn/schema/permission"
import type * as jsoncParser from "jsonc-parser"
import type { Node, ParseError } from "jsonc-parser"
import { unsafeKey } from "./merge.ts"

export type Jsonc = typeof jsoncParser
export type KeyPath = readonly (string | number)[]

/** A config file as read: its value, its permission rules in the order they are written, and where each key stands. */
export interface ParsedConfig {
  readonly file: string
  readonly value: Record<string, unknown>
  readonly permission: PermissionRuleset
  /** Rules of `agent.<name>` and `mode.<name>`. */
  readonly agents: Readonly<Record<string, PermissionRuleset>>
  readonly warnings: readonly string[]
  /** `file:line:column` of the deepest part of the path that the file has. */
  at(path: KeyPath): string
  /** The same place, to sort by. */
  offset(path: KeyPath): number
}

const deepest = 64

/** Reads JSON with comments and trailing commas. The error is one line: file, line, column, what is wrong. An empty file says nothing. */
export function parseConfig(jsonc: Jsonc, text: string, file: string): Result<ParsedConfig, string> {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text
  const lines = lineIndex(source)
  const tooDeep = depthError(jsonc, source)
  if (tooDeep !== undefined) return err(`${file}:${lines(tooDeep)}: nested more than ${deepest} levels deep`)
  const errors: ParseError[] = []
  const root = jsonc.parseTree(source, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const first = errors[0]
  if (first)
    return err(`${file}:${lines(first.offset)}: not valid JSON: ${words(jsonc.printParseErrorCode(first.error))}`)
  if (root && root.type !== "object") return err(`${file}:${lines(root.offset)}: expected an object, got ${root.type}`)
  const warnings: string[] = []
  const warn = (node: Node, message: string) => void warnings.push(`${file}:${lines(node.offset)}: ${message}`)
  const value = root ? (toValue(root, warn) as Record<string, unknown>) : {}
  return ok({
    file,
    value,
    permission: rulesAt(root),
    agents: agentRules(root),
    warnings,
    at: (path) => `${file}:${lines(locate(jsonc, root, path))}`,
    offset: (path) => locate(jsonc, root, path),
  })
}

/** Rules of a `permission` node in file order: `"allow"` is `{"*": "allow"}`, a key's action is its pattern `*`. */
function permissionRules(node: Node | undefined): PermissionRuleset {
  if (!node) return []
  const whole = action(node)
  if (whole) return [{ permission: "*", pattern: "*", action: whole }]
  return properties(node).flatMap(([permission, value]): PermissionRule[] => {
    const flat = action(value)
    if (flat) return [{ permission, pattern: "*", action: flat }]
    return properties(value).flatMap(([pattern, leaf]) => {
      const verdict = action(leaf)
      return verdict ? [{ permission, pattern, action: verdict }] : []
    })
  })
}

/** `provider.local.models["a.b"].limit` */
export function dotted(path: KeyPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`
      if (!/^[\w$-]+$/.test(key)) return `[${JSON.stringify(key)}]`
      return index === 0 ? key : `.${key}`
    })
    .join("")
}

/** The older `tools: {name: boolean}`, then `permission`, of one object. */
function rulesAt(node: Node | undefined): PermissionRuleset {
  const fields = node ? new Map(properties(node)) : new Map<string, Node>()
  const tools = fields.get("tools")
  const older = (tools ? properties(tools) : []).flatMap(([name, value]): PermissionRule[] => {
    if (value.type !== "boolean") return []
    return [{ permission: toolKey(name), pattern: "*", action: value.value === true ? "allow" : "deny" }]
  })
  return [...older, ...permissionRules(fields.get("permission"))]
}

function agentRules(root: Node | undefined): Record<string, PermissionRuleset> {
  const result: Record<string, PermissionRuleset> = {}
  if (!root) return result
  const fields = new Map(properties(root))
  for (const section of ["mode", "agent"]) {
    const node = fields.get(section)
    for (const [name, agent] of node ? properties(node) : []) {
      const rules = rulesAt(agent)
      if (rules.length > 0 && !unsafeKey(name)) result[name] = [...(result[name] ?? []), ...rules]
    }
  }
  return result
}

const writers: ReadonlySet<string> = new Set(["write", "edit", "patch", "apply_patch", "multiedit"])
const toolKey = (tool: string) => (writers.has(tool) ? "edit" : tool)

function action(node: Node): PermissionAction | undefined {
  const value: unknown = node.type === "string" ? node.value : undefined
  return value === "allow" || value === "ask" || value === "deny" ? value : undefined
}

/** Key and value nodes of an object, in the order of the file. */
function properties(node: Node): [string, Node][] {
  if (node.type !== "object") return []
  return (node.children ?? []).flatMap((property): [string, Node][] => {
    const [key, value] = property.children ?? []
    return key && value ? [[String(key.value), value]] : []
  })
}

function toValue(node: Node, warn: (node: Node, message: string) => void): unknown {
  if (node.type === "array") return (node.children ?? []).map((child) => toValue(child, warn))
  if (node.type !== "object") return node.value
  const result: Record<string, unknown> = {}
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (!key || !value) continue
    const name = String(key.value)
    if (unsafeKey(name)) {
      warn(key, `the key "${name}" is not allowed and was ignored`)
      continue
    }
    if (Object.hasOwn(result, name)) warn(key, `the key "${name}" stands twice; the last one counts`)
    result[name] = toValue(value, warn)
  }
  return result
}

/** Offset of the first bracket beyond the depth we read, found without recursion. */
function depthError(jsonc: Jsonc, text: string): number | undefined {
  const scanner = jsonc.createScanner(text, true)
  let depth = 0
  // The enum of token kinds is erased at build time: 1 and 3 open, 2 and 4 close, 17 ends.
  for (let token = scanner.scan() as number; token !== 17; token = scanner.scan() as number) {
    if (token === 1 || token === 3) depth++
    if (token === 2 || token === 4) depth--
    if (depth > deepest) return scanner.getTokenOffset()
  }
  return undefined
}

function locate(jsonc: Jsonc, root: Node | undefined, path: KeyPath): number {
  if (!root) return 0
  for (let length = path.length; length > 0; length--) {
    const node = jsonc.findNodeAtLocation(root, path.slice(0, length))
    if (node) return node.parent?.type === "property" ? node.parent.offset : node.offset
  }
  return root.offset
}

/** `line:column`, both from 1, of an offset. */
function lineIndex(text: string): (offset: number) => string {
  return (offset) => {
    const before = text.slice(0, offset)
    const line = before.split("\n").length
    return `${line}:${offset - before.lastIndexOf("\n")}`
  }
}

/** `CloseBraceExpected` → `close brace expected`. */
const words = (code: string) => code.replace(/(?<!^)([A-Z])/g, " $1").toLowerCase()
