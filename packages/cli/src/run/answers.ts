import type { Engine } from "@cairn/schema/engine"
import type { BusEvent } from "@cairn/schema/event"
import { HeadlessAnswer, HeadlessRefusal, HeadlessReply } from "@cairn/schema/headless"
import { until } from "@cairn/kernel/task"
import type { Stdin } from "../io.ts"
import type { Reporter } from "./reporter.ts"

const longestLine = 1024 * 1024
const nobody = "nobody can approve this any more: the client closed its input"
const nobodyAnswers =
  "Nobody can answer any more: the client closed its input. Decide yourself, and say what you assumed."

/** The client's side of the asks and questions of a run: what waits, and what stdin says to it. */
export interface Answers {
  onEvent(event: BusEvent): void
  /** Reads answers until stdin ends, then rejects what waits and what is asked later. Interruption rejects with the reason. */
  read(stdin: Stdin, signal: AbortSignal): Promise<void>
  /** Asks that were rejected because stdin had ended. */
  readonly unanswered: number
}

export function createAnswers(engine: Replies, reporter: Reporter, defer: (work: () => void) => void): Answers {
  const waiting = new Set<string>()
  let closed = false
  let unanswered = 0
  const rejectAll = () => {
    for (const id of waiting) {
      waiting.delete(id)
      const rejected = isQuestion(id)
        ? engine.rejectQuestion(id, nobodyAnswers)
        : engine.replyPermission(id, { reply: "reject", message: nobody }).ok
      if (rejected) unanswered++
    }
  }
  const answer = (line: string) => {
    const parsed = parseAnswer(line)
    if (typeof parsed === "string") return reporter.note(`ignored a line on stdin: ${parsed}`)
    const problem = deliver(engine, parsed)
    if (problem === undefined) waiting.delete(parsed.id)
    else reporter.note(`ignored an answer on stdin: ${problem}`)
  }
  return {
    get unanswered() {
      return unanswered
    },
    onEvent(event) {
      if (settled.has(event.type) && "requestID" in event.properties) waiting.delete(event.properties.requestID)
      if (event.type !== "permission.asked" && event.type !== "question.asked") return
      waiting.add(event.properties.id)
      reporter.ask(event.properties)
      // The ask is being published: it can be answered once that is over.
      if (closed) defer(rejectAll)
    },
    async read(stdin, signal) {
      try {
        for await (const line of lines(stdin, signal)) {
          if (line === undefined) reporter.note(`ignored a line on stdin: longer than ${longestLine} characters`)
          else if (line.trim() !== "") answer(line)
        }
      } catch (error) {
        signal.throwIfAborted()
        reporter.note(`stdin cannot be read any more: ${error instanceof Error ? error.message : String(error)}`)
      }
      closed = true
      rejectAll()
    },
  }
}

type Replies = Pick<Engine, "replyPermission" | "replyQuestion" | "rejectQuestion">
type Answer = HeadlessAnswer | HeadlessReply | HeadlessRefusal

const settled: ReadonlySet<BusEvent["type"]> = new Set(["permission.replied", "question.replied", "question.rejected"])

const isQuestion = (id: unknown): boolean => typeof id === "string" && id.startsWith("que")

/** Undefined, or why the answer counts for nothing: then what it was meant for still waits. */
function deliver(engine: Replies, answer: Answer): string | undefined {
  const { id } = answer
  const unless = (taken: boolean) => (taken ? undefined : `no ask ${id} waits`)
  if ("answers" in answer) return unless(engine.replyQuestion(id, answer.answers))
  if (isQuestion(id)) return unless(engine.rejectQuestion(id, answer.message))
  const { id: _, ...reply } = answer
  const replied = engine.replyPermission(id, reply)
  return replied.ok ? undefined : replied.error.message
}

/** The answer on a line, or what is wrong with it. */
export function parseAnswer(line: string): Answer | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return `not JSON; expected {"id":"per_…","reply":"once|always|reject"}`
  }
  const parsed = schemaOf(value).safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  return issue ? `${issue.path.join(".") || "the line"}: ${issue.message}` : "not an answer"
}

/** By the kind of the id; of a question by what the line holds. */
function schemaOf(value: unknown) {
  if (typeof value !== "object" || value === null || !("id" in value) || !isQuestion(value.id)) return HeadlessAnswer
  return "reply" in value ? HeadlessRefusal : HeadlessReply
}

/** Lines of stdin; undefined stands for one that was too long to keep. */
async function* lines(stdin: Stdin, signal: AbortSignal): AsyncGenerator<string | undefined> {
  if (stdin.kind === "none" || stdin.kind === "directory") return
  const decoder = new TextDecoder()
  let rest = ""
  let overlong = false
  for await (const chunk of until(stdin.chunks(), signal)) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      yield overlong || part.length > longestLine ? undefined : part
      overlong = false
    }
    if (rest.length > longestLine) {
      rest = ""
      overlong = true
    }
  }
  if (overlong) yield undefined
  else if (rest !== "") yield rest
}
