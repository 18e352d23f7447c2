import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ClipboardWays, copiedText, copy } from "./clipboard.ts"

let directory = ""
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "cairn-clipboard-"))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Ways that note what they were given. */
function ways(host: boolean | undefined, terminal: boolean) {
  const given: string[] = []
  const chosen: ClipboardWays = {
    ...(host === undefined ? {} : { host: async () => (given.push("host"), host) }),
    terminal: () => (given.push("terminal"), terminal),
    directory,
  }
  return { given, chosen }
}

test("the machine's own clipboard comes first, and only it is believed", async () => {
  const { given, chosen } = ways(true, true)
  const copied = await copy("añ👨‍👩‍👧‍👦", chosen)
  expect(copied).toEqual({ how: "clipboard", characters: 3 })
  expect(given).toEqual(["host"])
  expect(copiedText(copied) as string).toBe("copied 3 characters")
})

test("then the terminal, which never answers", async () => {
  const { given, chosen } = ways(false, true)
  const copied = await copy("abc", chosen)
  expect(given).toEqual(["host", "terminal"])
  expect(copiedText(copied) as string).toBe("3 characters sent to the terminal (it cannot confirm)")
})

test("from another machine the clipboard here is not asked", async () => {
  const { given, chosen } = ways(undefined, true)
  expect(await copy("abc", chosen)).toEqual({ how: "terminal", characters: 3 })
  expect(given).toEqual(["terminal"])
})

test("then a file that is this user's alone", async () => {
  const copied = await copy("line\twith tab\n", ways(false, false).chosen)
  if (copied.how !== "file") throw new Error(copied.how)
  expect(await readFile(copied.path, "utf8")).toBe("line\twith tab\n")
  if (process.platform !== "win32") expect((await stat(copied.path)).mode & 0o777).toBe(0o600)
  expect(copiedText(copied) as string).toBe(`clipboard not reachable: saved to ${copied.path}`)
})

test("what terminals cut goes to a file at once", async () => {
  const { given, chosen } = ways(false, true)
  expect((await copy("x".repeat(56_244), chosen)).how).toBe("terminal")
  expect((await copy("x".repeat(56_245), chosen)).how).toBe("file")
  expect(given).toEqual(["host", "terminal", "host"])
})

test("when nothing works it says so", async () => {
  const copied = await copy("abc", { terminal: () => false, directory: join(directory, "missing") })
  expect(copied.how).toBe("nowhere")
  expect(copiedText(copied) as string).toStartWith("not copied: ")
})
