import type { Io } from "../io.ts"

const longest = 1_000

/** Asks on stderr and reads one line of stdin: true for `y` or `yes`. The end of the input is a no. */
export async function confirm(io: Pick<Io, "stderr" | "stdin">, question: string): Promise<boolean> {
  io.stderr.write(`${question} [y/N] `)
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of io.stdin.chunks()) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes("\n") || text.length > longest) break
  }
  if (!text.includes("\n")) io.stderr.write("\n")
  return /^\s*y(es)?\s*(\n|$)/i.test(text)
}
