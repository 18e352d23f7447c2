import { withoutSecrets } from "@cairn/kernel/log"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { Session } from "@cairn/schema/session"

/** A session as the original exports it. */
export interface Exported {
  readonly info: Session
  readonly messages: readonly MessageWithParts[]
}

/** Fields that hold what stands in files or what a command said, wherever they are. */
const contentKeys = new Set(["content", "oldString", "newString", "patchText", "patch", "diff", "preview"])

/** Fields whose text is a secret by their name. */
const secretKey = /(?:authorization|cookie|passw(?:or)?d|secret|token|api[-_]?key|private[-_]?key)$/i
/** `NAME_KEY=value`, `"password": "value"`, and private keys. */
const assigned =
  /([\w-]{0,40}(?:api[-_]?key|secret|token|passw(?:or)?d|private[-_]?key)[\w-]{0,40}["']?\s*[:=]\s*["']?)(?!\[redacted)[^\s"',;)}\]]{6,}/gi
const keyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

/**
 * The session for somebody else's eyes: contents of files and outputs of commands become their length, what looks like
 * a secret is redacted, and the home directory is `~`. What was said stays.
 */
export function sanitizeSession({ info, messages }: Exported, home: string): Exported {
  const redact = redactor(home)
  return {
    info: deep(info, redact, false) as Session,
    messages: messages.map((message) => ({
      info: deep(message.info, redact, false) as MessageWithParts["info"],
      parts: message.parts.map((part) => deep(withoutContent(part), redact, false) as Part),
    })),
  }
}

function withoutContent(part: Part): Part {
  switch (part.type) {
    case "text":
      // Nobody typed it: it is an attached file, or the engine's own.
      return part.synthetic ? { ...part, text: leftOut(part.text) } : part
    case "file":
      return withoutData(part)
    case "tool":
      if (part.state.status !== "completed") return part
      return {
        ...part,
        state: {
          ...part.state,
          output: leftOut(part.state.output),
          metadata: deep(part.state.metadata, leftOut, true) as Record<string, unknown>,
          ...(part.state.attachments && { attachments: part.state.attachments.map(withoutData) }),
        },
      }
    default:
      return part
  }
}

function withoutData(file: Extract<Part, { type: "file" }>): Extract<Part, { type: "file" }> {
  const { source, ...rest } = file
  const url = file.url.startsWith("data:") ? `data:${file.mime},` : file.url
  return { ...rest, url, ...(source && "text" in source && { source: emptied(source) }) }
}

function emptied<T extends { text: { value: string } }>(source: T): T {
  return { ...source, text: { ...source.text, value: leftOut(source.text.value) } }
}

/** Every string through `change`; those under a content key are left out. Numbers and switches stay. */
function deep(value: unknown, change: (text: string) => string, inside: boolean): unknown {
  if (typeof value === "string") return inside ? leftOut(value) : change(value)
  if (Array.isArray(value)) return value.map((item) => deep(item, change, inside))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === "string" && secretKey.test(key)
        ? "[redacted]"
        : deep(item, change, inside || contentKeys.has(key)),
    ]),
  )
}

function leftOut(text: string): string {
  return text === "" || /^\[left out: \d+ characters\]$/.test(text) ? text : `[left out: ${text.length} characters]`
}

function redactor(home: string): (text: string) => string {
  const bare = home.replace(/\/+$/, "")
  const names = bare === "" ? [] : [...new Set([bare, encodeURI(bare)])]
  const places = names.map((name) => new RegExp(`${RegExp.escape(name)}(?![\\w.-])`, "g"))
  return (text) => {
    const safe = withoutSecrets(text.replace(keyBlock, "[redacted]")).replace(assigned, "$1[redacted]")
    return places.reduce((left, place) => left.replace(place, "~"), safe)
  }
}
