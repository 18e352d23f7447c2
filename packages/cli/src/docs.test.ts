import { expect, test } from "bun:test"
import path from "node:path"
import { generatedDocs } from "../../../script/docs.ts"

const root = path.join(import.meta.dir, "../../..")

test.each(generatedDocs().map((doc) => [doc.path, doc.text]))(
  "%s is up to date (bun run script/docs.ts)",
  async (file, text) => {
    const written = await Bun.file(path.join(root, file)).text()
    expect(written).toBe(text)
  },
)
