import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider"

/** A finished tool call of this turn, as the prompt tells it. */
export interface Observation {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly failed: boolean
  readonly text: string
}

/** What the user asked last. */
export function request(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast((message) => message.role === "user")
  return last ? textOf(last) : ""
}

/** The calls since the user's last message, oldest first, each with its result. */
export function observations(prompt: LanguageModelV4Prompt): Observation[] {
  const turn = prompt.slice(prompt.findLastIndex((message) => message.role === "user") + 1)
  const results = new Map<string, LanguageModelV4ToolResultPart>()
  for (const message of turn)
    if (message.role === "tool")
      for (const part of message.content) if (part.type === "tool-result") results.set(part.toolCallId, part)
  return turn.flatMap((message) =>
    message.role !== "assistant"
      ? []
      : message.content.flatMap((part) => {
          const result = part.type === "tool-call" ? results.get(part.toolCallId) : undefined
          if (part.type !== "tool-call" || !result) return []
          return [{ tool: part.toolName, input: fields(part.input), ...outcome(result) }]
        }),
  )
}

function textOf(message: LanguageModelV4Message): string {
  if (typeof message.content === "string") return message.content
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

function outcome({ output }: LanguageModelV4ToolResultPart): { failed: boolean; text: string } {
  switch (output.type) {
    case "text":
      return { failed: false, text: output.value }
    case "error-text":
      return { failed: true, text: output.value }
    case "execution-denied":
      return { failed: true, text: output.reason ?? "not allowed" }
    case "content":
      return {
        failed: false,
        text: output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
      }
    case "json":
    case "error-json":
      return { failed: output.type === "error-json", text: JSON.stringify(output.value) }
  }
}

function fields(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null ? { ...input } : {}
}

export interface TestReport {
  readonly passed: number
  readonly failed: number
  /** Files of the project where a failure was thrown, in order, by absolute path. */
  readonly files: readonly string[]
}

/** Reads what `node --test` (either of its formats) or `bun test` prints; undefined when no tests ran. */
export function readTestReport(output: string): TestReport | undefined {
  const text = Bun.stripANSI(output)
  const passed = /^\s*(?:[#ℹ]\s*pass\s+(\d+)|(\d+)\s+pass)\s*$/m.exec(text)
  const failed = /^\s*(?:[#ℹ]\s*fail\s+(\d+)|(\d+)\s+fail)\s*$/m.exec(text)
  if (!passed || !failed) return undefined
  return { passed: Number(passed[1] ?? passed[2]), failed: Number(failed[1] ?? failed[2]), files: thrownIn(text) }
}

/** The innermost frame of each stack that lies in the project. */
function thrownIn(text: string): string[] {
  const files = new Set<string>()
  let inStack = false
  for (const line of text.split("\n")) {
    const frame = /(?:^|[\s(])((?:file:\/\/)?\/[^\s()'"]+?|node:[\w/:]+):\d+:\d+\)?(?: \{)?$/.exec(line.trimEnd())
    const path = frame?.[1]
    if (path === undefined) inStack = false
    else if (!inStack && !path.startsWith("node:") && !path.includes("/node_modules/")) {
      files.add(path.startsWith("file://") ? Bun.fileURLToPath(path) : path)
      inStack = true
    }
  }
  return [...files]
}

/** File content as the read tool shows it, without the line numbers in front. */
export function withoutLineNumbers(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^\s*\d+[:|\t→] ?/, ""))
    .join("\n")
}
