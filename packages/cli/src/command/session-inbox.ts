import type { Engine } from "@cairn/schema/engine"
import { type Result, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { InboxItem } from "@cairn/schema/prompt"
import type { Command, Input } from "../argv/define.ts"
import { cancelFlag, deliveryFlag, formatFlag, holdFlag, positionFlag, textFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { ago } from "../render/format.ts"
import { table } from "../render/table.ts"
import { setupError, usageError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { lookOf } from "../terminal/look.ts"

const changes = [cancelFlag, textFlag, deliveryFlag, positionFlag, holdFlag]

export const sessionInboxCommand: Command = {
  name: "session inbox",
  summary: "List, change or cancel the prompts that wait in a session",
  doc:
    "Prompts wait while a turn runs, and after one was interrupted until the next prompt begins a turn. Named with a" +
    " flag, a prompt is changed or cancelled, also while another process runs the session; once a turn has taken it," +
    " that is refused with exit code 2. As json: the prompts that wait now, first come first.",
  examples: [
    "cairn session inbox ses_0123456789abcdefghijklmnop",
    "cairn session inbox ses_0123456789abcdefghijklmnop inb_0123456789abcdefghijklmnop --cancel",
  ],
  flags: [...changes, formatFlag],
  args: { usage: "<id> [prompt]", doc: "Id of the session, and of the prompt", min: 1, max: 2, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const [id = "", prompt] = input.words
  const wanted = changes.some((flag) => input.get<unknown>(flag) !== undefined)
  if (wanted !== (prompt !== undefined)) {
    const message = wanted ? "name the prompt that is to be changed" : "say by a flag what is to become of the prompt"
    return usageError(io, { message, command: "session inbox" }, false)
  }
  return withEngine(io, async (engine) => {
    if (!engine.session(id)) return setupError(io, unknownSession(id))
    if (prompt !== undefined) {
      const done = change(engine, id, prompt, input)
      if (!done.ok) return setupError(io, done.error)
    }
    const waiting = engine.inbox(id)
    if (input.get(formatFlag) === "json") io.stdout.write(`${JSON.stringify(waiting, undefined, 2)}\n`)
    else if (waiting.length === 0) io.stderr.write("No prompt waits in this session.\n")
    else io.stdout.write(`${table(rows(io, waiting), lookOf(io.stdout, io.env), 3).join("\n")}\n`)
    return 0
  })
}

function change(engine: Engine, sessionID: string, inboxID: string, input: Input): Result<unknown, SetupError> {
  if (input.get(cancelFlag)) return engine.cancelInbox(sessionID, inboxID)
  const [text, delivery, hold] = [input.get(textFlag), input.get(deliveryFlag), input.get(holdFlag)]
  const position = input.get(positionFlag)
  const done = engine.changeInbox(sessionID, inboxID, {
    ...(text !== undefined && { text }),
    ...(delivery && { delivery }),
    ...(hold !== undefined && { hold }),
    ...(position !== undefined && { position: position - 1 }),
  })
  return done.ok ? ok(undefined) : done
}

const rows = (io: Io, waiting: readonly InboxItem[]) =>
  waiting.map((item) => [
    item.id,
    `${item.delivery}${item.hold ? ", held" : ""}`,
    ago(item.time.created, io.clock.now()),
    item.parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" "),
  ])
