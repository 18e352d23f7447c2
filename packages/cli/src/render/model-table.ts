import type { ModelInfo } from "@cairn/schema/model-info"
import type { Look, Style } from "../terminal/look.ts"
import { count } from "./format.ts"
import { table } from "./table.ts"

const head = ["model", "context", "output", "$ in", "$ out", "tools", "key"]

/** Models as an aligned table with a head. On a narrow terminal the columns on the right give way before the name does. */
export function modelTable(models: readonly ModelInfo[], look: Pick<Look, "width">, style: Style): string[] {
  const rows = models.map((model) => [
    model.ref,
    model.context === undefined ? "?" : count(model.context),
    model.output === undefined ? "?" : count(model.output),
    ...(model.price ? [dollars(model.price.input), dollars(model.price.output)] : ["?", "?"]),
    model.tools ? "yes" : "no",
    keyWord(model, look.width >= 100),
  ])
  const columns = look.width < 60 ? [0, 6] : look.width < 90 ? [0, 1, 3, 4, 6] : head.map((_, index) => index)
  const [first = "", ...rest] = table(
    [head, ...rows].map((row) => columns.map((column) => row[column] ?? "")),
    look,
    0,
  )
  return [style.strong(first), ...rest]
}

/** `present (ANTHROPIC_API_KEY)`, `present (config)`, `not needed`, `missing`, `unusable` */
function keyWord({ key, keySource, problem }: ModelInfo, named: boolean): string {
  if (key === "present" && named) return `present (${keySource?.replace(/^env:/, "") ?? ""})`
  return key === "unknown" || (key === "not needed" && problem !== undefined) ? "unusable" : key
}

function dollars(price: number): string {
  if (price === 0) return "0"
  return price < 0.1 ? price.toFixed(3) : price.toFixed(2).replace(/\.00$/, "")
}
