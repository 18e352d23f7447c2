import { z } from "zod"
import { describeIssue } from "./issue.ts"
import type { Probe, ProbeAnswer, ProbeError } from "./define.ts"

/** Each is loaded at its first request. */
const probes: Readonly<Record<string, () => Promise<Probe>>> = {
  edit: async () => (await import("./edit.ts")).editProbe,
  patch: async () => (await import("./patch.ts")).patchProbe,
  rule: async () => (await import("./rule.ts")).ruleProbe,
  disabled: async () => (await import("./rule.ts")).disabledProbe,
  shell: async () => (await import("./shell.ts")).shellProbe,
  wildcard: async () => (await import("./wildcard.ts")).wildcardProbe,
  glob: async () => (await import("./glob.ts")).globProbe,
  ignore: async () => (await import("./ignore.ts")).ignoreProbe,
  error: async () => (await import("./error.ts")).errorProbe,
}

const Envelope = z.looseObject({ n: z.union([z.number(), z.string()], "expected a number"), probe: z.string() })

/**
 * The answer to one line of NDJSON, as a line without its end: the functions that the tools call, on what the request
 * brings along; `home` is what `~` stands for in rules. Nothing is executed or kept, and only `shell` looks at the disk. Whatever is wrong with the line is an answer too; never rejects.
 */
export async function answerLine(line: Uint8Array, home?: string): Promise<string> {
  const text = decode(line)
  if (text === undefined) return shown(null, bad("The line is not valid UTF-8."))
  const value = parse(text)
  if (!value.ok) return shown(null, bad(value.problem))
  const envelope = Envelope.safeParse(value.json)
  if (!envelope.success) return shown(numberOf(value.json), bad(describeIssue(envelope.error, "the line")))
  const { n, probe: name } = envelope.data
  const load = Object.hasOwn(probes, name) ? probes[name] : undefined
  if (!load) return shown(n, unknown(name))
  try {
    const probe = await load()
    const request = probe.request.safeParse(value.json)
    if (!request.success) return shown(n, bad(describeIssue(request.error, "the request")))
    return shown(n, await probe.answer(request.data, { line: text, home }))
  } catch (error) {
    return shown(n, bad(`This could not be answered: ${error instanceof Error ? error.message : String(error)}`))
  }
}

/** The answer to a line that was too long to keep. */
export const overlongAnswer = (limit: number): string => shown(null, bad(`The line is longer than ${limit} bytes.`))

const shown = (n: number | string | null, answer: ProbeAnswer): string => JSON.stringify({ n, ...answer })

const bad = (message: string): { error: ProbeError } => ({ error: { kind: "bad_request", message } })

const unknown = (name: string): { error: ProbeError } => {
  const given = JSON.stringify(name.slice(0, 80))
  const message = `There is no probe ${given}. There are: ${Object.keys(probes).join(", ")}.`
  return { error: { kind: "unknown_probe", message } }
}

function decode(line: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(line)
  } catch {
    return undefined // the only error that decoding has
  }
}

function parse(text: string): { ok: true; json: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, json: JSON.parse(text) as unknown }
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : ""
    return { ok: false, problem: `The line is not JSON: ${why}` }
  }
}

/** The number of a request of which something else is wrong. */
function numberOf(json: unknown): number | string | null {
  const n: unknown = typeof json === "object" && json !== null && "n" in json ? json.n : null
  return typeof n === "number" || typeof n === "string" ? n : null
}
