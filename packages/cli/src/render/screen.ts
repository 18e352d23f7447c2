import type { Io } from "../io.ts"
import { lookOf, styleOf, type Look, type Style } from "../terminal/look.ts"
import { truncate } from "../terminal/width.ts"

/**
 * Puts an answer on stdout and progress on stderr so that they do not run into each other when both are one terminal.
 * Everything it is given is harmless already.
 */
export interface Screen {
  readonly out: Look
  readonly err: Look
  readonly style: Style
  /** A piece of the answer, as it comes. */
  answer(piece: string): void
  /** A piece of the model's thoughts, as it comes. */
  thought(piece: string): void
  /** Whole lines of progress. */
  lines(lines: readonly string[]): void
  /** An empty line, unless there is one already or nothing stands above. */
  gap(): void
  /** One line in place at the bottom, gone with the next output. Only where lines may be rewritten. */
  status(text: string | undefined): void
}

export function createScreen(io: Pick<Io, "stdout" | "stderr" | "env">): Screen {
  const out = lookOf(io.stdout, io.env)
  const err = lookOf(io.stderr, io.env)
  const style = styleOf(err.color)
  const shared = io.stdout.isTerminal && io.stderr.isTerminal
  /** The stream that stands in the middle of a line. */
  let open: "answer" | "thought" | undefined
  let blank = true
  let status = false

  const clearStatus = () => {
    if (status) io.stderr.write("\r\x1b[K")
    status = false
  }
  const closeLine = (unless?: "answer" | "thought") => {
    if (open === undefined || open === unless) return
    ;(open === "answer" ? io.stdout : io.stderr).write("\n")
    open = undefined
  }
  const inline = (kind: "answer" | "thought", piece: string) => {
    if (piece === "") return
    clearStatus()
    closeLine(kind)
    const stream = kind === "answer" ? io.stdout : io.stderr
    stream.write(kind === "answer" ? piece : dimPiece(piece, style))
    open = piece.endsWith("\n") ? undefined : kind
    blank = piece.endsWith("\n\n")
  }
  return {
    out,
    err,
    style,
    answer: (piece) => inline("answer", piece),
    thought: (piece) => inline("thought", piece),
    lines(lines) {
      if (lines.length === 0) return
      clearStatus()
      closeLine()
      io.stderr.write(`${lines.join("\n")}\n`)
      blank = lines.at(-1) === ""
    },
    gap() {
      clearStatus()
      closeLine()
      if (!blank) io.stderr.write("\n")
      blank = true
    },
    status(text) {
      if (!err.live) return
      clearStatus()
      if (text === undefined || open === "thought" || (shared && open === "answer")) return
      io.stderr.write(style.dim(truncate(text, err.width - 1)))
      status = true
    },
  }
}

/** Dims each line by itself, so that nothing stays dim when the output is cut. */
function dimPiece(piece: string, style: Style): string {
  return piece.split("\n").map(style.dim).join("\n")
}
