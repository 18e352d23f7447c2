import { z } from "zod"

const lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (Array.isArray(text) ? text.join("") : text))
const Output = z.object({
  text: lines.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
})
const Notebook = z.object({
  cells: z.array(z.object({ cell_type: z.string(), source: lines, outputs: z.array(Output).optional() })),
})

const longestOutput = 2_000

/** A Jupyter notebook as text: its cells with their numbers, outputs shortened. Undefined when it is none. */
export function notebookText(json: string): string | undefined {
  const parsed = Notebook.safeParse(parse(json))
  if (!parsed.success) return undefined
  const cells = parsed.data.cells.map((cell, index) => {
    const outputs = (cell.outputs ?? []).map((output) => outputText(output)).filter((text) => text !== "")
    return [`[${index + 1}] ${cell.cell_type}`, cell.source, ...outputs.map((text) => `-> ${text}`)].join("\n")
  })
  return cells.join("\n\n")
}

function outputText(output: z.infer<typeof Output>): string {
  if (output.ename !== undefined) return `${output.ename}: ${output.evalue ?? ""}`
  const plain = lines.safeParse(output.data?.["text/plain"])
  const text =
    output.text ??
    (plain.success
      ? plain.data
      : Object.keys(output.data ?? {})
          .map((kind) => `(${kind})`)
          .join(" "))
  return text.length > longestOutput ? `${text.slice(0, longestOutput)}…` : text.trimEnd()
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
