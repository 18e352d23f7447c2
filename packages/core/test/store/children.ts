import { join } from "node:path"

/** A child that runs `child.ts`. Disposing kills it, if it still runs, and waits for its end. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  /** The next line that it says, parsed. Throws when it ended instead, with what it wrote to stderr. */
  next(): Promise<Record<string, unknown>>
  go(): void
  kill(signal: "SIGKILL"): Promise<void>
}

/** Starts a child and waits until it is ready to `go`. */
export async function spawnChild(task: string, file: string, argument = ""): Promise<Child> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "child.ts"), task, file, argument], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  })
  const lines = linesOf(child.stdout)
  const next = async () => {
    const line = await lines.next()
    if (line.done) throw new Error(`the child ended: ${await new Response(child.stderr).text()}`)
    return JSON.parse(line.value) as Record<string, unknown>
  }
  const end = async () => {
    child.kill("SIGKILL")
    await child.exited
  }
  await next()
  return {
    pid: child.pid,
    next,
    go() {
      void child.stdin.write("go\n")
      void child.stdin.flush()
    },
    kill: end,
    [Symbol.asyncDispose]: end,
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}

/** Starts several children at once, lets them go together, and gives what each said. All have ended then. */
export async function runTogether(count: number, task: string, file: string, argument = "") {
  const children = await Promise.all(Array.from({ length: count }, () => spawnChild(task, file, argument)))
  try {
    for (const child of children) child.go()
    return await Promise.all(children.map((child) => child.next()))
  } finally {
    await Promise.all(children.map((child) => child[Symbol.asyncDispose]()))
  }
}
