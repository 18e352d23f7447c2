import type { Part, ToolPart } from "@cairn/schema/part"

type Tool = ToolPart["state"]
let count = 0
const base = () => ({ id: `prt_${String(++count).padStart(4, "0")}`, sessionID: "ses_1", messageID: "msg_1" })

/** A call of a tool that has ended well. */
export function completed(
  tool: string,
  input: Record<string, unknown>,
  more: Partial<Extract<Tool, { status: "completed" }>> = {},
): ToolPart {
  const state = {
    status: "completed" as const,
    input,
    output: "",
    title: "",
    metadata: {},
    time: { start: 1_000, end: 1_500 },
    ...more,
  }
  return { ...base(), type: "tool", callID: "call_1", tool, state }
}

export function running(
  tool: string,
  input: Record<string, unknown>,
  metadata: Record<string, unknown> = {},
): ToolPart {
  return {
    ...base(),
    type: "tool",
    callID: "call_1",
    tool,
    state: { status: "running", input, metadata, time: { start: 1_000 } },
  }
}

export function failed(
  tool: string,
  input: Record<string, unknown>,
  error: string,
  kind?: Extract<Tool, { status: "error" }>["kind"],
): ToolPart {
  const state = {
    status: "error" as const,
    input,
    error,
    ...(kind === undefined ? {} : { kind }),
    time: { start: 1_000, end: 5_000 },
  }
  return { ...base(), type: "tool", callID: "call_1", tool, state }
}

export function pending(tool: string, raw = ""): ToolPart {
  return { ...base(), type: "tool", callID: "call_1", tool, state: { status: "pending", input: {}, raw } }
}

/** Another part, with what every part has. */
export function part<T extends Part["type"]>(
  type: T,
  more: Omit<Extract<Part, { type: T }>, "id" | "sessionID" | "messageID" | "type">,
): Extract<Part, { type: T }> {
  return { ...base(), type, ...more } as unknown as Extract<Part, { type: T }>
}

export const adderPatch = [
  "--- a/src/add.ts",
  "+++ b/src/add.ts",
  "@@ -1,5 +1,7 @@",
  " // Adds.",
  " ",
  " export function add(a: number, b: number) {",
  "-  return a - b",
  "+  // sum of both",
  "+  const s = a + b",
  "+  return s",
  " }",
  "",
].join("\n")
