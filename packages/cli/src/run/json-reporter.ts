import type { BusEvent } from "@cairn/schema/event"
import type { HeadlessResult, HeadlessStart } from "@cairn/schema/headless"
import type { Tokens } from "@cairn/schema/model"
import type { Part } from "@cairn/schema/part"
import type { Io } from "../io.ts"
import { sanitise } from "../terminal/sanitise.ts"
import type { Reporter, RunReport } from "./reporter.ts"

/**
 * One JSON object a line on stdout: `start`, the events of the bus, `result`. When nothing could be started the
 * `result` line stands alone. Remarks go to stderr. The schema is `@cairn/schema/headless`.
 */
export function jsonReporter(io: Pick<Io, "stdout" | "stderr" | "version">, options: { deltas: boolean }): Reporter {
  const line = (value: unknown) => io.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    start({ sessionID }) {
      line({ type: "start", schema: 1, version: io.version, sessionID } satisfies HeadlessStart)
    },
    event(event) {
      if (options.deltas || !isPartial(event)) line(ordered(event))
    },
    // The ask is on stdout already: it is an event.
    ask: () => {},
    note: (text) => io.stderr.write(`cairn: ${sanitise(text)}\n`),
    end(report) {
      if (report.message !== undefined) {
        io.stderr.write(`cairn: ${sanitise(report.message)}\n`)
      }
      line(resultLine(report))
    },
  }
}

// Not from the schema: importing that as a value would load zod on every start.
const none: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

/** The last line of a run. */
export function resultLine(report: RunReport): HeadlessResult {
  const { exit, outcome } = report
  return {
    type: "result",
    exitCode: exit.code,
    reason: exit.reason,
    sessionID: report.sessionID ?? null,
    text: outcome?.text ?? "",
    ...(outcome?.structured === undefined ? {} : { structured: outcome.structured }),
    tokens: outcome?.tokens ?? none,
    cost: outcome?.cost ?? 0,
    ...(report.denied > 0 ? { denied: report.denied } : {}),
    ...(report.message === undefined ? {} : { message: report.message }),
  }
}

/** `type` first, as people read it. */
function ordered(event: BusEvent): unknown {
  const { type, properties, id, seq } = event
  return { type, properties, id, ...(seq === undefined ? {} : { seq }) }
}

/** A piece of a text that will come whole. */
function isPartial(event: BusEvent): boolean {
  if (event.type === "message.part.delta") return true
  return event.type === "message.part.updated" && isOpen(event.properties.part)
}

function isOpen(part: Part): boolean {
  if (part.type !== "text" && part.type !== "reasoning") return false
  return part.time !== undefined && part.time.end === undefined
}
