import path from "node:path"
import type { Engine } from "@cairn/schema/engine"
import type { Io } from "../io.ts"
import { needCwd, openEngine } from "../open-engine.ts"
import { ago } from "../render/format.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { truncate } from "../terminal/width.ts"

const most = 300
const longestText = 60

/**
 * `__complete <kind> <prefix> [directory]`, for the scripts: one value a line, with a tab and a word about it. Somebody is
 * in the middle of a line, so whatever goes wrong gives nothing, and the exit code is 0.
 */
export async function complete(io: Io, [kind = "", prefix = "", directory = ""]: readonly string[]): Promise<number> {
  try {
    const cwd = needCwd(io)
    const opened = cwd.ok ? await openEngine(io, path.resolve(cwd.value, directory)) : cwd
    if (!opened.ok) return 0
    await using engine = opened.value
    const rows = await candidates(io, engine, kind, prefix)
    const lines = rows
      .filter(([value]) => value.startsWith(prefix) && /^[\x21-\x7e]+$/.test(value))
      .slice(0, most)
      .map(([value, about]) => `${value}\t${truncate(sanitiseLine(about), longestText)}\n`)
    io.stdout.write(lines.join(""))
    return 0
  } catch {
    return 0
  }
}

type Row = readonly [value: string, about: string]

async function candidates(io: Io, engine: Engine, kind: string, prefix: string): Promise<Row[]> {
  switch (kind) {
    case "model":
      return models(engine, prefix)
    case "agent":
      return engine
        .agents()
        .filter(({ mode, hidden }) => mode !== "subagent" && !hidden)
        .map(({ name, description = "" }) => [name, description])
    case "session": {
      const sessions = await engine.sessions({ scope: "project", limit: most })
      return sessions.map(({ id, title, time }) => [id, `${title} (${ago(time.updated, io.clock.now())})`])
    }
    default:
      return []
  }
}

/** What can be used; only where that gives nothing, what is known. */
function models(engine: Engine, prefix: string): Row[] {
  const rows = (scope: "ready" | "all") =>
    engine.models(prefix, scope).flatMap(({ ref, name }): Row[] => (ref.startsWith(prefix) ? [[ref, name]] : []))
  const ready = rows("ready")
  return ready.length > 0 ? ready : rows("all")
}
