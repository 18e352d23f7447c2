import type { PermissionRequest } from "@cairn/schema/permission"
import type { TurnEnd } from "@cairn/schema/event"
import type { QuestionRequest } from "@cairn/schema/question"
import { money, plural, tokens } from "../render/format.ts"
import type { Style } from "../terminal/look.ts"
import { sanitise } from "../terminal/sanitise.ts"
import type { RunReport } from "./reporter.ts"

const said: Record<TurnEnd, string> = {
  done: "done",
  aborted: "interrupted",
  error: "failed",
  rejected: "stopped: a call was rejected",
  loop_guard: "stopped by the loop guard: the model repeated itself without getting further",
  step_limit: "stopped: the agent's step limit is reached",
  budget: "stopped: the budget is spent",
  interrupted_by_restart: "interrupted: the process that ran it went away",
}

/** The last lines of a run: how it ended, what it took, how to go on. `facts` are put beside the tokens. */
export function endLines(report: RunReport, facts: readonly string[], style: Style): string[] {
  const { outcome } = report
  const lines: string[] = []
  if (report.message !== undefined) lines.push(style.bad(`cairn: ${sanitise(report.message)}`))
  if (report.denied > 0) lines.push(style.warn(deniedText(report.denied)))
  if (outcome) {
    const good = report.exit.code === 0
    const all = [said[outcome.reason], ...facts, tokens(outcome.tokens), money(outcome.cost)]
    lines.push((good ? style.dim : style.warn)(all.filter((fact) => fact !== "").join(", ")))
  }
  if (report.sessionID !== undefined) {
    lines.push(style.dim(`continue: cairn run --session ${report.sessionID} "…"`))
  }
  return lines
}

function deniedText(denied: number): string {
  const calls = `${plural(denied, "call")} needed an approval that nobody could give`
  return `cairn: ${calls}: allow it by "permission" in cairn.json, or run with --auto`
}

/** An ask or a question as a line for whoever answers on stdin. */
export function askLine(request: PermissionRequest | QuestionRequest): string {
  const type = "questions" in request ? "question.asked" : "permission.asked"
  return `${JSON.stringify({ type, properties: request })}\n`
}
