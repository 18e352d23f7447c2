import { err, ok, type Result } from "@cairn/kernel/result"
import type { Engine } from "@cairn/schema/engine"
import type { TuiEvent } from "@cairn/schema/tui"
import { type Failure, notFound } from "../failure.ts"
import type { Routes, ServerContext } from "../route.ts"

type TuiRoute =
  | "tui.appendPrompt"
  | "tui.openHelp"
  | "tui.openSessions"
  | "tui.openThemes"
  | "tui.openModels"
  | "tui.submitPrompt"
  | "tui.clearPrompt"
  | "tui.executeCommand"
  | "tui.showToast"
  | "tui.publish"
  | "tui.selectSession"
  | "tui.control.next"
  | "tui.control.response"

interface Told {
  readonly engine: Engine
  readonly server: ServerContext
  readonly request: Request
}

/** Tells an event to whoever draws; `body` is what those who fetch get with the path of the call. */
function tell({ engine, server, request }: Told, event: TuiEvent, body: unknown = {}): Result<boolean, Failure> {
  server.events.publish(event, { directory: engine.directory })
  server.tui.send(engine.directory, { path: new URL(request.url).pathname, body })
  return ok(true)
}

const command = (call: Told, name: string): Result<boolean, Failure> =>
  tell(call, { type: "tui.command.execute", properties: { command: name } })

export const tuiRoutes: Routes<TuiRoute> = {
  "tui.appendPrompt": (call) => tell(call, { type: "tui.prompt.append", properties: call.body }, call.body),
  "tui.openHelp": (call) => command(call, "help.show"),
  "tui.openSessions": (call) => command(call, "session.list"),
  "tui.openThemes": (call) => command(call, "theme.list"),
  "tui.openModels": (call) => command(call, "model.list"),
  "tui.submitPrompt": (call) => command(call, "prompt.submit"),
  "tui.clearPrompt": (call) => command(call, "prompt.clear"),
  "tui.executeCommand": (call) => tell(call, { type: "tui.command.execute", properties: call.body }, call.body),
  "tui.showToast": (call) => tell(call, { type: "tui.toast.show", properties: call.body }, call.body),
  "tui.publish": (call) => tell(call, call.body, call.body),
  "tui.selectSession": (call) => {
    const { sessionID } = call.body
    if (!call.engine.session(sessionID)) return err(notFound(`There is no session ${sessionID}.`))
    return tell(call, { type: "tui.session.select", properties: { sessionID } }, call.body)
  },
  "tui.control.next": async ({ engine, server, request }) =>
    ok(await server.tui.next(engine.directory, request.signal)),
  "tui.control.response": () => ok(true),
}
