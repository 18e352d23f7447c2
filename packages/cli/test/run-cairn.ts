import path from "node:path"
import { HeadlessLine } from "@cairn/schema/headless"
import type { ModelServer } from "@cairn/testkit/server"
import type { TempWorkspace } from "@cairn/testkit/workspace"

const entry = path.join(import.meta.dir, "../src/main.ts")

export interface Spawned {
  readonly child: Bun.Subprocess<"pipe" | "ignore" | Blob | number, "pipe", "pipe">
  /** Everything, once the process has ended. */
  readonly ended: Promise<Finished>
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
  return { child, ended: finish(child) }
}

/** Runs it to its end. */
export function cairn(space: TempWorkspace, argv: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
  return startCairn(space, argv, options).ended
}

async function finish(child: Spawned["child"]): Promise<Finished> {
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
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
