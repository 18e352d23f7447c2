import { createEngine } from "../../src/app.ts"

/**
 * Prompts a new session in a process of its own, to the end of its turn, and says the session's id and how it ended:
 * `session-driver.ts <options of the engine as JSON> <model as JSON> <prompt>`.
 */
const [options = "{}", model = "{}", text = ""] = process.argv.slice(2)
const opened = await createEngine(JSON.parse(options))
if (!opened.ok) throw new Error(opened.error.message)
const engine = opened.value
const { id: sessionID } = await engine.createSession({})
const outcome = await engine.prompt({
  sessionID,
  parts: [{ type: "text", text }],
  model: JSON.parse(model),
  asks: "deny",
})
if (!outcome.ok) throw new Error(outcome.error.message)
process.stdout.write(JSON.stringify({ sessionID, reason: outcome.value.reason }))
await engine[Symbol.asyncDispose]()
