import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rendererLibrary } from "./renderer-library.ts"

let folder = ""
const before = process.env["XDG_CACHE_HOME"]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-library-"))
  process.env["XDG_CACHE_HOME"] = folder
})
afterEach(() => {
  if (before === undefined) delete process.env["XDG_CACHE_HOME"]
  else process.env["XDG_CACHE_HOME"] = before
  rmSync(folder, { recursive: true, force: true })
})

function asset(content: string) {
  const path = join(folder, "inside.so")
  writeFileSync(path, content)
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex")
  return { path, name: "inside.so", size: content.length, sha256 }
}

test("the copy lies in the cache under its content's hash, and is taken again", () => {
  const file = asset("library")
  const place = rendererLibrary(file)
  expect(place).toBe(join(folder, "cairn/bin", `inside-${file.sha256.slice(0, 16)}.so`))
  expect(readFileSync(place, "utf8")).toBe("library")
  expect(rendererLibrary(file)).toBe(place)
})

test("a library that is damaged is not loaded: the reasons are said", () => {
  const file = { ...asset("library"), sha256: "0".repeat(64) }
  expect(() => rendererLibrary(file)).toThrow(/could not be unpacked.*damaged/)
})
