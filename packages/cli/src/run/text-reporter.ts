import type { BusEvent } from "@cairn/schema/event"
import type { AssistantMessage, Message } from "@cairn/schema/message"
import type { Part, ReasoningPart, TextPart, ToolPart } from "@cairn/schema/part"
import type { SessionStatus } from "@cairn/schema/session"
import { wrap } from "../argv/help.ts"
import type { Io } from "../io.ts"
import { duration, plural } from "../render/format.ts"
import { createMarkdownStream, type MarkdownStream } from "../render/markdown-stream.ts"
import { partLines } from "../render/part.ts"
import { createScreen, type Screen } from "../render/screen.ts"
import { takeOverText } from "../render/transcript.ts"
import { headline, type ToolView } from "../render/tool.ts"
import { styleOf } from "../terminal/look.ts"
import { createSanitiser, sanitise, sanitiseLine } from "../terminal/sanitise.ts"
import { createActivity, type Activity } from "./activity.ts"
import { askLine, endLines } from "./text-end.ts"
import type { Reporter, RunReport, RunStart } from "./reporter.ts"

/** Lines of one diff that are shown on a terminal. */
const diffLimit = 40

/**
 * For people and for pipes. On a terminal the text appears as it is written; elsewhere stdout gets the answer alone,
 * at the end, and what the model said on its way there is progress on stderr.
 */
export function textReporter(io: Io): Reporter {
  const screen = createScreen(io)
  let run: Run | undefined
  return {
    start(start) {
      run = createRun(io, screen, start)
    },
    event: (event) => run?.event(event),
    ask(request) {
      screen.gap()
      io.stdout.write(askLine(request))
    },
    note: (text) => screen.lines([screen.style.warn(`cairn: ${sanitise(text)}`)]),
    end(report) {
      if (run) run.end(report)
      else if (report.message !== undefined) screen.lines([`cairn: ${sanitise(report.message)}`])
    },
  }
}

interface Run {
  event(event: BusEvent): void
  end(report: RunReport): void
}

/** What has been shown of a part that grows. */
interface Stream {
  readonly kind: "answer" | "thought"
  readonly clean: ReturnType<typeof createSanitiser>
  /** Draws an answer; absent where it is shown as it was written. */
  readonly draw: MarkdownStream | undefined
  readonly messageID: string
  length: number
  shown: boolean
}

interface State {
  readonly io: Io
  readonly screen: Screen
  readonly view: ToolView
  readonly activity: Activity
  readonly sessionID: string
  /** The answer is the JSON at the end. */
  readonly structured: boolean
  /** Messages that this run's model writes. Parts of others are not shown. */
  readonly messages: Map<string, { readonly summary: boolean }>
  readonly streams: Map<string, Stream>
  /** Calls that were seen to begin: a settled call is shown once. */
  readonly calls: Set<string>
  /** Whole texts that may be the answer, until something follows them. */
  held: { messageID: string; text: string }[]
  /** The message whose text was last put on stdout. */
  answered: string | undefined
  steps: number
  /** Whoever answers now, as `provider/model`. */
  readonly speaker: { model: string }
  /** What stands above the cursor. */
  last: Stream["kind"] | "text" | "tool" | undefined
}

function createRun(io: Io, screen: Screen, start: RunStart): Run {
  const began = io.clock.monotonic()
  const { style } = screen
  const model = `${start.model.providerID}/${start.model.modelID}`
  const named = start.model.variant === undefined ? model : `${model} (${start.model.variant})`
  const head = `${start.resumed ? "continuing " : ""}${start.sessionID}`
  screen.lines(wrap(sanitiseLine(`${named}, agent ${start.agent}, ${head}`), screen.err.width).map(style.dim))
  const speaker = { model }
  const state: State = {
    io,
    screen,
    view: {
      style,
      look: screen.err,
      directory: start.directory,
      diffLimit: screen.err.color || screen.err.live ? diffLimit : 0,
    },
    activity: createActivity(screen, io.clock, () => `waiting for ${sanitiseLine(speaker.model)}`),
    sessionID: start.sessionID,
    structured: start.structured,
    messages: new Map(),
    streams: new Map(),
    calls: new Set(),
    held: [],
    answered: undefined,
    steps: 0,
    speaker,
    last: undefined,
  }
  return {
    event: (event) => onEvent(state, event),
    end(report) {
      state.activity.stop()
      // An interrupted text never becomes whole.
      for (const { draw } of state.streams.values()) if (draw) screen.answer(draw.flush())
      showAnswer(state, report)
      const elapsed = duration(io.clock.monotonic() - began)
      const facts = [plural(state.steps, "step"), elapsed]
      screen.gap()
      screen.lines(endLines(report, facts, style))
    },
  }
}

function onEvent(state: State, event: BusEvent): void {
  if (event.type === "message.part.delta") return onDelta(state, event.properties)
  if (!("sessionID" in event.properties) || event.properties.sessionID !== state.sessionID) return
  if (event.type === "message.updated") return onMessage(state, event.properties.info)
  if (event.type === "message.part.updated") return onPart(state, event.properties.part)
  if (event.type === "session.status") return onStatus(state, event.properties.status)
}

/** A message that this run's model begins to write: only the parts of such are shown. */
function onMessage(state: State, info: Message): void {
  if (info.role !== "assistant" || info.time.completed !== undefined) return
  state.messages.set(info.id, { summary: info.summary === true })
  const model = `${info.providerID}/${info.modelID}`
  if (model !== state.speaker.model) onModel(state, model, info.fallback)
}

/** Another model goes on: one that stands in, or the chosen one again. */
function onModel(state: State, model: string, fallback: AssistantMessage["fallback"]): void {
  const { screen } = state
  state.speaker.model = model
  const line = fallback ? `${takeOverText(fallback)}; ${model} takes over` : `${model} answers again`
  showLines(state, wrap(sanitiseLine(line), screen.err.width).map(screen.style.warn), "tool")
}

function onStatus(state: State, status: SessionStatus): void {
  state.activity.retry(status)
  if (status.type !== "retry") return
  const { screen, io } = state
  const wait = duration(status.next - io.clock.now())
  const message = sanitiseLine(status.message).replace(/\.$/, "")
  const line = `${message}; attempt ${status.attempt} failed, next try in ${wait}`
  screen.lines(wrap(line, screen.err.width).map(screen.style.warn))
}

function onPart(state: State, part: Part): void {
  const message = state.messages.get(part.messageID)
  if (!message || message.summary) return
  switch (part.type) {
    case "text":
      return part.synthetic || part.ignored ? undefined : onText(state, part)
    case "reasoning":
      return onReasoning(state, part)
    case "tool":
      return onTool(state, part)
    case "step-finish":
      state.steps++
      return
    // The status says the same and when it is tried again.
    case "retry":
      return
    default:
      showLines(state, partLines(part, state.view), "tool")
  }
}

function onDelta(state: State, delta: { partID: string; delta: string }): void {
  const stream = state.streams.get(delta.partID)
  if (!stream) return
  stream.length += delta.delta.length
  flow(state, stream, stream.clean.push(delta.delta))
}

function onText(state: State, part: TextPart): void {
  const whole = part.time === undefined || part.time.end !== undefined
  if (state.screen.out.live) return grow(state, "answer", part, whole)
  if (!whole || part.text.trim() === "") return
  if (state.held.some((held) => held.messageID !== part.messageID)) releaseHeld(state)
  state.held.push({ messageID: part.messageID, text: part.text })
}

function onReasoning(state: State, part: ReasoningPart): void {
  if (state.screen.err.live) grow(state, "thought", part, part.time.end !== undefined)
}

/** Shows what a part has gained since the last time; deltas in between go the short way. */
function grow(state: State, kind: Stream["kind"], part: TextPart | ReasoningPart, whole: boolean): void {
  const stream = state.streams.get(part.id) ?? {
    kind,
    clean: createSanitiser(),
    draw: kind === "answer" ? drawing(state.screen) : undefined,
    messageID: part.messageID,
    length: 0,
    shown: false,
  }
  state.streams.set(part.id, stream)
  const gained = part.text.slice(stream.length)
  stream.length += gained.length
  flow(state, stream, stream.clean.push(gained) + (whole ? stream.clean.flush() : ""))
  if (!whole) return
  if (stream.draw) state.screen.answer(stream.draw.flush())
  state.streams.delete(part.id)
}

function flow(state: State, stream: Stream, piece: string): void {
  const text = stream.shown ? piece : piece.replace(/^\s*\n/, "")
  if (text === "") return
  if (!stream.shown && state.last !== undefined) state.screen.gap()
  stream.shown = true
  state.last = stream.kind
  if (stream.kind === "thought") return state.screen.thought(text)
  state.answered = stream.messageID
  state.screen.answer(stream.draw ? stream.draw.push(text) : text)
}

/** Markdown is drawn for eyes alone: on a terminal with colours. */
function drawing({ out }: Screen): MarkdownStream | undefined {
  return out.live && out.color ? createMarkdownStream(styleOf(true)) : undefined
}

function onTool(state: State, part: ToolPart): void {
  const { status } = part.state
  if (status === "pending" || status === "running") {
    state.calls.add(part.callID)
    const plain = { ...state.view, style: styleOf(false) }
    if (status === "running") makeRoom(state)
    if (status === "running") state.activity.begin(part.callID, headline(part, plain))
    return
  }
  if (!state.calls.delete(part.callID)) return
  state.activity.settle(part.callID)
  releaseHeld(state)
  showLines(state, partLines(part, state.view), "tool")
}

/** Ends the text above, so that the line at the bottom can say what runs. */
function makeRoom(state: State): void {
  if (!state.screen.err.live || state.last === undefined || state.last === "tool") return
  state.screen.gap()
  state.last = "tool"
}

/** Texts that were followed by a call are not the answer: they are progress. */
function releaseHeld(state: State): void {
  const texts = state.held
  state.held = []
  for (const { text } of texts) showLines(state, sanitise(text).trim().split("\n"), "text")
}

function showLines(state: State, lines: readonly string[], kind: "text" | "tool"): void {
  if (lines.length === 0) return
  if (state.screen.err.live && state.last !== undefined && state.last !== kind) state.screen.gap()
  state.screen.lines(lines)
  state.last = kind
}

function showAnswer(state: State, report: RunReport): void {
  const { screen, io } = state
  if (state.structured) return showResult(state, report)
  const answer = report.outcome?.text ?? ""
  if (answer === "") releaseHeld(state)
  if (!screen.out.live) {
    // A terminal without cursor tricks gets the answer whole; a pipe gets it as the model wrote it.
    const text = io.stdout.isTerminal ? sanitise(answer) : answer
    if (text !== "") io.stdout.write(text.endsWith("\n") ? text : `${text}\n`)
    return
  }
  if (answer === "" || state.answered !== undefined) return
  const draw = drawing(screen)
  screen.answer(draw ? draw.push(sanitise(answer)) + draw.flush() : sanitise(answer))
}

/** The JSON alone for programs, laid out for people; nothing when there is none. */
function showResult(state: State, report: RunReport): void {
  const { screen, io } = state
  releaseHeld(state)
  const structured = report.outcome?.structured
  if (structured === undefined) return
  if (!io.stdout.isTerminal) return io.stdout.write(`${JSON.stringify(structured)}\n`)
  const text = sanitise(JSON.stringify(structured, undefined, 2))
  if (!screen.out.live) return io.stdout.write(`${text}\n`)
  if (state.last !== undefined) screen.gap()
  screen.answer(`${text}\n`)
}
