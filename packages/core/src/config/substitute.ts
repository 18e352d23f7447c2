import { open, realpath } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"

export interface SubstituteContext {
  /** The file the strings come from: `{file:…}` is relative to its directory. */
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** What an untrusted project may name: files below this real path, and no variable. Undefined: anything. */
  readonly confine?: string
}

export interface Substituted {
  readonly value: Record<string, unknown>
  readonly warnings: readonly string[]
}

const largest = 256 * 1024
const pattern = /\{(env|file):([^{}\n]+)\}/g

/** Replaces `{env:NAME}` and `{file:path}` in every string. What cannot be had becomes empty and is a warning that names it. */
export async function substitute(value: Record<string, unknown>, context: SubstituteContext): Promise<Substituted> {
  const warnings: string[] = []
  const visit = async (node: unknown): Promise<unknown> => {
    if (typeof node === "string") return node.includes("{") ? replaceAll(node, context, warnings) : node
    if (Array.isArray(node)) return Promise.all(node.map(visit))
    if (typeof node !== "object" || node === null) return node
    return Object.fromEntries(
      await Promise.all(Object.entries(node).map(async ([key, item]) => [key, await visit(item)] as const)),
    )
  }
  return { value: (await visit(value)) as Record<string, unknown>, warnings }
}

async function replaceAll(text: string, context: SubstituteContext, warnings: string[]): Promise<string> {
  let result = ""
  let end = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, kind, name] = match
    result += text.slice(end, match.index)
    result +=
      kind === "env" ? variable(name!.trim(), context, warnings) : await contents(name!.trim(), context, warnings)
    end = match.index + whole.length
  }
  return result + text.slice(end)
}

function variable(name: string, context: SubstituteContext, warnings: string[]): string {
  if (context.confine !== undefined) {
    warnings.push(`${context.file}: {env:${name}} was left empty: the project is not trusted`)
    return ""
  }
  const value = context.env[name]
  if (value === undefined)
    warnings.push(`${context.file}: {env:${name}}: the variable is not set, the text stays empty`)
  return value ?? ""
}

async function contents(name: string, context: SubstituteContext, warnings: string[]): Promise<string> {
  const path = name.startsWith("~/") ? join(context.home, name.slice(2)) : resolve(dirname(context.file), name)
  try {
    const real = await realpath(path)
    if (
      context.confine !== undefined &&
      !real.startsWith(context.confine.endsWith(sep) ? context.confine : context.confine + sep)
    ) {
      warnings.push(`${context.file}: {file:${name}} was left empty: it is outside the project, which is not trusted`)
      return ""
    }
    return (await readText(real, largest)).trim()
  } catch (error) {
    warnings.push(
      `${context.file}: {file:${name}} cannot be read (${error instanceof Error ? error.message : String(error)})`,
    )
    return ""
  }
}

/** The text of a regular file of at most `limit` bytes; throws with what is wrong otherwise. Never blocks on a pipe. */
export async function readText(path: string, limit: number): Promise<string> {
  // O_NONBLOCK: opening a FIFO would otherwise wait for its other end for ever.
  const { O_RDONLY, O_NONBLOCK } = (await import("node:fs")).constants
  const handle = await open(path, O_RDONLY | O_NONBLOCK)
  try {
    const info = await handle.stat()
    if (!info.isFile()) throw new Error("not a file")
    if (info.size > limit) throw new Error(`larger than ${limit} bytes`)
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}
