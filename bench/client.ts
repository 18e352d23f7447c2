import { Database } from "bun:sqlite"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { tempWorkspace, type TempWorkspace } from "../packages/testkit/src/workspace.ts"
import type { Program } from "./measure.ts"
import { countAfter, workFile, workText } from "./workload.ts"

/** A program under measurement: how it is started on a prompt. */
export interface Client {
  readonly name: "floor" | "cairn"
  readonly version: readonly string[]
  run(baseURL: string, prompt: string): { readonly argv: readonly string[]; readonly env: Record<string, string> }
}

/** The floor program, by the command that starts it. */
export function floorClient(command: readonly string[]): Client {
  return {
    name: "floor",
    version: [...command, "--version"],
    run: (baseURL, prompt) => ({ argv: [...command, baseURL, prompt], env: {} }),
  }
}

/** Cairn as a headless run in which nobody is asked, with the scripted model as its only one. `config` is laid upon its config. */
export function cairnClient(command: readonly string[], config: Readonly<Record<string, unknown>> = {}): Client {
  return {
    name: "cairn",
    version: [...command, "--version"],
    run: (baseURL, prompt) => ({
      argv: [...command, "run", "--auto", prompt],
      env: { CAIRN_CONFIG_CONTENT: JSON.stringify({ ...configFor(baseURL), ...config }) },
    }),
  }
}

function configFor(baseURL: string) {
  const scripted = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { apiKey: "test-key", baseURL },
    models: { model: { name: "Scripted model", limit: { context: 1_000_000, output: 8_000 } } },
  }
  return { model: "scripted/model", provider: { scripted } }
}

/** A repository with the file to work on, and a home of its own. */
export function benchWorkspace(): Promise<TempWorkspace> {
  return tempWorkspace({ files: { [workFile]: workText(), "README.md": "# Bench\n" }, git: true })
}

/** The command line of one run in the workspace, whose file begins anew. */
export async function prepare(space: TempWorkspace, client: Client, baseURL: string, prompt: string): Promise<Program> {
  await writeFile(join(space.dir, workFile), workText())
  const { argv, env } = client.run(baseURL, prompt)
  return { argv, cwd: space.dir, env: { ...space.env, ...env } }
}

/** Throws unless the file is as `steps` steps of the tool loop leave it. */
export async function checkWork(space: TempWorkspace, steps: number): Promise<void> {
  const text = await readFile(join(space.dir, workFile), "utf8")
  const wanted = workText().replace("count: 0", countAfter(steps))
  if (text !== wanted) throw new Error(`${workFile} does not hold "${countAfter(steps)}": the run did not do its work`)
}

/** Where Cairn keeps the sessions of a workspace. */
export const databaseOf = (space: TempWorkspace): string => join(space.env["XDG_DATA_HOME"] ?? "", "cairn", "cairn.db")

/** Where in Cairn's log the newest `count` steps began, oldest first: between two of them lie the events of a step. */
export function stepsInLog(space: TempWorkspace, count: number): number[] {
  using database = new Database(databaseOf(space), { readonly: true })
  const rows = database
    .query<{ seq: number }, [number]>(
      "SELECT seq FROM event WHERE json_extract(properties, '$.part.type') = 'step-start' ORDER BY seq DESC LIMIT ?",
    )
    .all(count)
  return rows.map(({ seq }) => seq).toReversed()
}
