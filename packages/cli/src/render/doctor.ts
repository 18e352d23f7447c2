import type { Check, CheckState, DoctorReport } from "@cairn/core/doctor/check"
import { wrap } from "../argv/help.ts"
import type { Look, Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { plural } from "./format.ts"

/** The report as lines: a heading an area, a line a check with its state as a word, what to do below it. */
export function doctorLines(report: DoctorReport, look: Pick<Look, "width">, style: Style): string[] {
  const areas = Map.groupBy(report.checks, ({ area }) => area)
  const blocks = [...areas].map(([area, checks]) => [
    style.strong(area),
    ...checks.flatMap((check) => checkLines(check, look.width, style)),
  ])
  return [...blocks.flatMap((block) => [...block, ""]), summary(report, style)]
}

const words: Record<CheckState, string> = { ok: "ok", note: "note", warning: "warn", broken: "broken" }
const indent = " ".repeat(10)

function checkLines({ name, state, text, advice }: Check, width: number, style: Style): string[] {
  const paint = { ok: style.good, note: style.dim, warning: style.warn, broken: style.bad }[state]
  const room = Math.max(20, width - indent.length)
  const [first = "", ...more] = wrap(sanitiseLine(`${name}: ${text}`), room)
  const below = advice === undefined ? [] : wrap(sanitiseLine(advice), room)
  return [
    `  ${paint(words[state].padEnd(6))}  ${first}`,
    ...[...more, ...below.map(style.dim)].map((line) => `${indent}${line}`),
  ]
}

function summary({ checks }: DoctorReport, style: Style): string {
  const of = (state: CheckState) => checks.filter((check) => check.state === state).length
  const [broken, warnings] = [of("broken"), of("warning")]
  const rest = warnings === 0 ? "" : `${plural(warnings, "thing")} to look at`
  if (broken === 0) return warnings === 0 ? style.good("All is well.") : style.warn(`Nothing is broken; ${rest}.`)
  return style.bad(`${plural(broken, "thing is", "things are")} broken${rest === "" ? "" : `, ${rest}`}.`)
}
