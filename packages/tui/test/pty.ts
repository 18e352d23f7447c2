/** A program in a terminal of its own: what it wrote, keys to it, and how the terminal was left. */
export interface Pty extends AsyncDisposable {
  readonly output: () => string
  readonly pid: number
  readonly exited: Promise<number>
  write(keys: string): void
  /** Resolves when the output since the last call of it contains `text`. */
  until(text: string): Promise<string>
}

/** Starts `argv` in a pseudo terminal of 80 columns and 24 rows. */
export function openPty(argv: readonly string[], env: Record<string, string> = {}): Pty {
  let output = ""
  let seen = 0
  let changed = Promise.withResolvers<void>()
  const decoder = new TextDecoder()
  const child = Bun.spawn([...argv], {
    env: { ...(process.env as Record<string, string>), TERM: "xterm-256color", COLORTERM: "truecolor", ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data(_terminal, data) {
        output += decoder.decode(data, { stream: true })
        changed.resolve()
        changed = Promise.withResolvers()
      },
    },
  })
  const exited = child.exited.then((code) => {
    changed.resolve()
    return code
  })
  let ended = false
  void exited.then(() => (ended = true))
  return {
    pid: child.pid,
    exited,
    output: () => output,
    write: (keys) => void child.terminal?.write(keys),
    async until(text) {
      while (true) {
        const at = output.indexOf(text, seen)
        if (at >= 0) {
          const found = output.slice(seen, at + text.length)
          seen = at + text.length
          return found
        }
        if (ended) throw new Error(`it ended without ${JSON.stringify(text)}: ${JSON.stringify(output.slice(seen))}`)
        await changed.promise
      }
    },
    async [Symbol.asyncDispose]() {
      if (!ended) child.kill("SIGKILL")
      await exited
      child.terminal?.close()
    },
  }
}

/** Private modes that were switched on and not off again, or the other way round for those that are on by themselves. */
export function modesLeft(output: string): string[] {
  const left = new Set<string>()
  for (const [, modes = "", order] of output.matchAll(/\x1b\[\?([\d;]+)([hlr])/g)) {
    for (const mode of modes.split(";")) {
      // "r" puts back what "s" saved.
      const on = order !== "r" && (order === "h") !== (mode === "25")
      if (on) left.add(mode)
      else left.delete(mode)
    }
  }
  return [...left]
}
