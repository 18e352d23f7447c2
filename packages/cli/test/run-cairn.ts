import path from "node:path"
import { HeadlessLine } from "@cairn/schema/headless"
import type { ModelServer } from "@cairn/testkit/server"
import type { TempWorkspace } from "@cairn/testkit/workspace"

const entry = path.join(import.meta.dir, "../src/main.ts")

export interface Spawned {
  readonly child: Bun.Subprocess<"pipe" | "ignore" | Blob | number, "pipe", "pipe">
  /** Everything, once the process has ended. */
  readonly ended: Promise<Finished>
  /** Resolves with the first match in stdout, as soon as it is there. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Writes to a piped stdin and closes it. */
  answer(text: string): Promise<void>
}

export interface Finished {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Stdout as lines of the published schema; throws at one that is not. */
  lines(): HeadlessLine[]
  /** The last of them. */
  result(): Record<string, unknown>
}

export interface SpawnOptions {
  /** The scripted model that `scripted/model` is; it becomes the default. */
  readonly server?: ModelServer
  readonly config?: Record<string, unknown>
  /** A text or a file that ends, `pipe` to write to by hand, or a descriptor. Default: /dev/null. */
  readonly stdin?: Blob | "pipe" | "ignore" | number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** The real command line as a process of its own, in a workspace with its own home. */
export function startCairn(space: TempWorkspace, argv: readonly string[], options: SpawnOptions = {}): Spawned {
  const child = Bun.spawn([process.execPath, entry, ...argv], {
    cwd: options.cwd ?? space.dir,
    env: { ...space.env, CAIRN_CONFIG_CONTENT: JSON.stringify(configOf(options)), ...options.env },
    stdin: options.stdin ?? "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const stdout = follow(child.stdout)
  return {
    child,
    ended: finish(child, stdout.all),
    printed: stdout.printed,
    async answer(text) {
      const sink = child.stdin
      if (typeof sink !== "object" || !("write" in sink)) throw new Error("stdin is no pipe")
      await sink.write(text)
      await sink.end()
    },
  }
}

/** Reads a stream to its end, and tells of what has come so far. */
function follow(stream: ReadableStream<Uint8Array>) {
  let text = ""
  let ended = false
  const checks = new Set<() => void>()
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      for (const check of checks) check()
    }
    ended = true
    for (const check of checks) check()
    return text
  }
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(text)
        if (match) resolve(match)
        else if (ended) reject(new Error(`stdout ended without ${pattern}: ${text}`))
        else return
        checks.delete(check)
      }
      checks.add(check)
      check()
    })
  return { all: read(), printed }
}

/** Runs it to its end. */
export function cairn(space: TempWorkspace, argv: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
  return startCairn(space, argv, options).ended
}

async function finish(child: Spawned["child"], stdout: Promise<string>): Promise<Finished> {
  const [out, err, code] = await Promise.all([stdout, child.stderr.text(), child.exited])
  const lines = () =>
    out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => HeadlessLine.parse(JSON.parse(line)))
  return { code, out, err, lines, result: () => lines().at(-1) ?? {} }
}

function configOf({ server, config }: SpawnOptions): Record<string, unknown> {
  if (!server) return config ?? {}
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { apiKey: "test-key", baseURL: server.baseURL("chat") },
    models: { model: { name: "Scripted model", limit: { context: 128_000, output: 8_000 } } },
  }
  return { model: "scripted/model", provider: { scripted: provider }, ...config }
}

/** Types of lines, runs of one type once: the shape of a run. */
export function shape(lines: readonly HeadlessLine[]): string[] {
  return lines.map((line) => line.type).filter((type, index, all) => type !== all[index - 1])
}

/** Resolves when the run's request `index` has arrived; rejects with its stderr when it ended before. */
export async function reached(server: ModelServer, index: number, run: Pick<Spawned, "ended">): Promise<void> {
  const early = run.ended.then(({ code, err }) => `the run ended with ${code}: ${err}`)
  const first = await Promise.any([server.received(index), early])
  if (typeof first === "string") throw new Error(first)
}
