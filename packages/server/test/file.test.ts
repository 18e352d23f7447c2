import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { bench } from "./bench.ts"

const files = { "src/main.ts": "const answer = 42\n", ".env": "SECRET=1\n", "a b.txt": "x\n" }

test("files and names are found, listed and read in the original's shapes", async () => {
  await using it = await bench([], { files })
  expect((await it.call("GET", "/find?pattern=answer")).json).toMatchObject([{ path: { text: "src/main.ts" } }])
  expect((await it.call("GET", "/find/file?query=main")).json).toEqual(["src/main.ts"])
  expect((await it.call("GET", "/find/file?query=src&type=directory")).json).toEqual(["src/"])
  expect((await it.call("GET", "/find/file?query=s&dirs=false")).json).toEqual(["src/main.ts"])
  expect((await it.call("GET", "/find/symbol?query=answer")).json).toEqual([])
  expect((await it.call("GET", "/file?path=src")).json).toMatchObject([{ name: "main.ts", path: "src/main.ts" }])
  expect((await it.call("GET", "/file/content?path=a%20b.txt")).json).toEqual({ type: "text", content: "x\n" })
})

test.each([
  ["/file/content?path=.env", 403],
  ["/file/content?path=/etc/passwd", 403],
  ["/file/content?path=../../../etc/passwd", 403],
  ["/file/content?path=src/%2e%2e/%2e%2e/%2e%2e/etc/passwd", 403],
  ["/file/content?path=link", 403],
  ["/file?path=/", 403],
  ["/file?path=..", 403],
  ["/file/content?path=none", 404],
  ["/file?path=none", 404],
  ["/file/content?path=src", 400],
  ["/file/content?path=a%00b", 400],
  ["/file/content", 400],
  ["/find?pattern=(", 400],
  ["/find?pattern=", 400],
  ["/find/file?query=x&limit=0", 400],
  ["/find/file?query=x&limit=many", 400],
  ["/find/file?query=x&limit=1000000", 400],
  ["/vcs/diff?mode=all", 400],
])("%s is %d, and says so in JSON", async (path, status) => {
  await using it = await bench([], { files })
  await symlink("/etc/passwd", join(it.workspace.dir, "link"))
  const answer = await it.call("GET", path)
  expect(answer.status).toBe(status)
  expect(answer.json.data.message.length).toBeGreaterThan(5)
  expect(answer.text).not.toContain("root:")
})

test("what git says comes as lists and as one patch", async () => {
  await using it = await bench([], { files })
  await it.workspace.write("src/main.ts", "const answer = 43\n")
  expect((await it.call("GET", "/vcs")).json).toHaveProperty("branch")
  expect((await it.call("GET", "/vcs/status")).json).toEqual([
    { file: "src/main.ts", additions: 1, deletions: 1, status: "modified" },
  ])
  expect((await it.call("GET", "/file/status")).json).toEqual([
    { path: "src/main.ts", added: 1, removed: 1, status: "modified" },
  ])
  const [file] = (await it.call("GET", "/vcs/diff?mode=git&context=12")).json
  const raw = await it.call("GET", "/vcs/diff/raw")
  expect([raw.headers.get("content-type"), raw.text]).toEqual(["text/x-diff; charset=utf-8", file.patch])
})
