import { systemClock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { silentLog } from "@cairn/kernel/log"
import { openDatabase } from "../../src/store/database.ts"
import { self } from "../../src/store/lease.ts"
import { migrations } from "../../src/store/migrations.ts"
import { createStore } from "../../src/store/store.ts"
import { created, message, part, textPart, turnStarted, userMessage } from "./events.ts"

/**
 * What the tests of several processes run: `child.ts <task> <file> <argument>`. It says "ready", waits for a line on
 * stdin so that all start together, works, and says in one line of JSON what happened.
 */
const [task = "", file = "", argument = ""] = process.argv.slice(2)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

/** The last migration of the tests: a column and a row that shows how often it ran. */
const extended = [
  ...migrations,
  {
    name: "9999_test",
    sql: "ALTER TABLE session ADD COLUMN extra text;--> statement-breakpoint\nCREATE TABLE ran (at integer);--> statement-breakpoint\nINSERT INTO ran VALUES (1);",
  },
]

function open(list = migrations) {
  const result = openDatabase({ file, now: () => 0, migrations: list })
  if (!result.ok) throw new Error(result.error.message)
  const { database, warnings } = result.value
  const ids = new Ids(systemClock)
  return { warnings, ids, store: createStore({ database, clock: systemClock, ids, log: silentLog, owner: self() }) }
}

const tasks: Record<string, () => void> = {
  /** Opens, stores a session, closes. */
  open() {
    const { store, ids, warnings } = open()
    const id = ids.next("session")
    store.append(id, [created(id)])
    store.close()
    say({ warnings })
  },
  migrate() {
    open(extended).store.close()
    say({})
  },
  /** Appends `argument` parts to a session of its own, one by one. With 0, until it is killed. */
  append() {
    const { store, ids } = open()
    const id = ids.next("session")
    const messageID = ids.next("message")
    store.append(id, [created(id), message(userMessage(id, messageID))])
    const most = Number(argument) || Number.POSITIVE_INFINITY
    for (let n = 0; n < most; n++) {
      store.append(id, [part(textPart(id, messageID, ids.next("part"), `part ${n}`))])
      if (most === Number.POSITIVE_INFINITY) say({ stored: n + 1, sessionID: id })
    }
    store.close()
    say({ sessionID: id })
  },
  /** Tries to begin a run of the session `argument`, and stays until stdin closes so that its lease holds. */
  begin() {
    const { store, ids } = open()
    const runID = ids.next("run")
    const held = store.begin(argument, runID, [turnStarted(argument, runID)])
    say({ got: held === undefined, owner: held?.pid ?? process.pid })
  },
  /** Counts what it sees. */
  read() {
    const { store } = open()
    say({ sessions: store.read.sessions({}).length })
    store.close()
  },
  /** Opens as a user without rights. */
  powerless() {
    process.setgid?.(65_534)
    process.setuid?.(65_534)
    const result = openDatabase({ file, now: () => 0 })
    say(result.ok ? { opened: true } : result.error)
  },
}

say("ready")
const input = Bun.stdin.stream().getReader()
await input.read()
tasks[task]?.()
if (task === "begin") while (!(await input.read()).done);
