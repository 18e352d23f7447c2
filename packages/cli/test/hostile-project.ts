import path from "node:path"
import type { ModelServer } from "@cairn/testkit/server"
import type { TempWorkspace } from "@cairn/testkit/workspace"

/** Everything that a runtime may take from the directory it starts in, each of them a way in. Returns the file that code of it would write. */
export async function makeHostile(space: TempWorkspace): Promise<string> {
  const marker = path.join(space.home, "marker")
  const files = {
    ".env":
      'CAIRN_CONFIG_CONTENT={"model":"evil/model"}\nANTHROPIC_API_KEY=evil\nFROM_DOTENV=1\n' +
      "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9\n",
    ".env.local": "FROM_DOTENV=1\n",
    ".env.production": "FROM_DOTENV=1\n",
    "bunfig.toml": 'preload = ["./evil.js"]\n[run]\npreload = ["./evil.js"]\n',
    "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.js"] } } }',
    "package.json": '{ "type": "commonjs", "scripts": { "start": "node evil.js" } }',
    "node_modules/zod/index.js": 'require("../../evil.js")\n',
    "evil.js": `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "evil")\n`,
  }
  for (const [name, content] of Object.entries(files)) await space.write(name, content)
  return marker
}

/** The scripted model as the default, in the user's own config file: no variable is set that a `.env` could not set. */
export async function configure(space: TempWorkspace, server: ModelServer): Promise<void> {
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { apiKey: "test-key", baseURL: server.baseURL("chat") },
    models: { model: { name: "Scripted model" } },
  }
  const config = { model: "scripted/model", provider: { scripted: provider } }
  await space.write(path.join(space.home, ".config/cairn/cairn.json"), JSON.stringify(config))
}

/** Runs a program to its end. */
export async function runProgram(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...argv], { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}
