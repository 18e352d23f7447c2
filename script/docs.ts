// Writes the documents that are made from code: `bun run script/docs.ts`.
import path from "node:path"
import { headlessJsonSchema } from "../packages/schema/src/headless.ts"
import { cliDocs } from "../packages/cli/src/argv/docs.ts"
import { commands } from "../packages/cli/src/command/all.ts"

/** Every generated document: its path from the root of the repository, and its text. */
export function generatedDocs(): { path: string; text: string }[] {
  return [
    { path: "docs/cli.md", text: cliDocs(commands) },
    { path: "docs/headless.schema.json", text: `${JSON.stringify(headlessJsonSchema(), undefined, 2)}\n` },
  ]
}

if (import.meta.main) {
  for (const doc of generatedDocs()) {
    await Bun.write(path.join(import.meta.dir, "..", doc.path), doc.text)
    console.log(`wrote ${doc.path}`)
  }
}
