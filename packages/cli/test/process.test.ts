import { describe, expect, test } from "bun:test"
import { closeSync, openSync } from "node:fs"
import path from "node:path"
import { tempWorkspace } from "@cairn/testkit/workspace"
import packageJson from "../package.json"
import { cairn } from "./run-cairn.ts"

const entry = path.join(import.meta.dir, "../src/main.ts")

/** A line of shell in which `$CAIRN` is the command. */
async function shell(line: string) {
  await using space = await tempWorkspace()
  const child = Bun.spawn(["sh", "-c", line], {
    cwd: space.dir,
    env: { ...space.env, CAIRN: `${process.execPath} ${entry}` },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

describe("the process", () => {
  test.each(["--version", "-v"])("prints its version: %s", async (flag) => {
    await using space = await tempWorkspace()
    expect(await cairn(space, [flag])).toMatchObject({ code: 0, out: `${packageJson.version}\n`, err: "" })
  })

  test("loads nothing for its version but the version", async () => {
    const loaded = async (file: string) => {
      const text = (await Bun.file(path.join(path.dirname(entry), file)).text()).replace(/^#!.*/, "")
      const imports = new Bun.Transpiler({ loader: "ts" }).scanImports(text)
      return imports.filter(({ kind }) => kind === "import-statement").map((each) => each.path)
    }
    expect(await loaded("main.ts")).toEqual(["./version.ts"])
    expect(await loaded("version.ts")).toEqual(["../package.json"])
  })

  test("loads the terminal interface only when it is opened", async () => {
    const source = path.dirname(entry)
    const early: string[] = []
    for await (const file of new Bun.Glob("**/*.ts").scan({ cwd: source })) {
      const text = (await Bun.file(path.join(source, file)).text()).replace(/^#!.*/, "")
      const imports = new Bun.Transpiler({ loader: "ts" }).scanImports(text)
      const found = imports.filter((each) => /^@(?:cairn\/tui|opentui)\b/.test(each.path))
      early.push(...found.filter(({ kind }) => kind !== "dynamic-import").map((each) => `${file}: ${each.path}`))
      if (file === path.join("command", "debug-terminal.ts")) expect(found).toHaveLength(1)
    }
    expect(early).toEqual([])
  })

  test("ends quietly when its reader goes away", async () => {
    const { out, err } = await shell("$CAIRN run --help | head -n 1")
    expect([out.split("\n").length, err]).toEqual([2, ""])
  })

  test.skipIf(process.platform !== "linux")("does not report success where nobody can get the answer", async () => {
    for (const [line, expected] of [
      ["$CAIRN run --model demo/tour hello >&-", 2],
      ["$CAIRN run --format json --model demo/tour hello >&-", 2],
      ["$CAIRN models >&-", 1],
    ] as const) {
      const { code, err } = await shell(`${line}; code=$?; exit $code`)
      expect([line, code]).toEqual([line, expected])
      expect(err).toContain("cairn: stdout cannot be written: it was closed when the program started\n")
    }
    const nothing = await shell("$CAIRN run --model demo/tour hello >&-; $CAIRN session list --format json")
    expect(nothing.out.trim()).toBe("[]")
    expect((await shell("$CAIRN run --help > /dev/null")).code).toBe(0)
  })

  test("says what to do when the current directory was removed", async () => {
    for (const words of ["run hello", "run --dir sub hello", "models", "doctor", "session list"]) {
      const { code, out, err } = await shell(`mkdir sub gone; cd gone; rmdir ../gone; $CAIRN ${words}`)
      expect([words, code, out]).toEqual([words, 2, ""])
      expect(err).toBe("cairn: the current directory no longer exists; change to another one\n")
    }
    const json = await shell("mkdir gone; cd gone; rmdir ../gone; $CAIRN run --format json hello")
    expect(JSON.parse(json.out)).toMatchObject({ type: "result", exitCode: 2, reason: "directory" })
    expect((await shell("mkdir gone; cd gone; rmdir ../gone; $CAIRN run --help")).code).toBe(0)
  })

  test.skipIf(process.platform !== "linux")("says that the disk is full", async () => {
    const { code, err } = await shell("$CAIRN --help > /dev/full")
    expect(code).toBe(1)
    expect(err).toMatch(/^cairn: stdout cannot be written: .*\n$/)
  })
})

describe("without a message, a run", () => {
  test("ends with 2 when stdin is closed, empty, or a directory", async () => {
    for (const redirect of ["<&-", "< /dev/null", "< ."]) {
      const { code, out, err } = await shell(`$CAIRN run ${redirect}`)
      expect([code, out]).toEqual([2, ""])
      expect(err).toStartWith("cairn: ")
    }
  })

  test("ends with a result line in JSON mode", async () => {
    await using space = await tempWorkspace()
    const run = await cairn(space, ["run", "--format", "json"], { stdin: new Blob(["  \n"]) })
    expect(run.code).toBe(2)
    expect(run.result()).toMatchObject({ type: "result", reason: "usage", sessionID: null })
  })

  test("refuses what is not text", async () => {
    await using space = await tempWorkspace({ files: { "x.bin": new Uint8Array([1, 0, 2]) } })
    const descriptor = openSync(path.join(space.dir, "x.bin"), "r")
    try {
      const run = await cairn(space, ["run"], { stdin: descriptor })
      expect([run.code, run.err]).toEqual([2, "cairn: stdin is not text: attach files with --file\n"])
    } finally {
      closeSync(descriptor)
    }
  })
})

test("bad input is named before anything is opened", async () => {
  await using space = await tempWorkspace({ files: { "x.bin": new Uint8Array([1, 0, 2]) } })
  const cases: [string[], RegExp][] = [
    [["run", "--file", "none.ts", "hi"], /cannot attach "none\.ts": it does not exist/],
    [["run", "--file", "x.bin", "hi"], /neither text nor a PDF nor a picture/],
    [["run", "--dir", "none", "hi"], /none" does not exist/],
    [["run", "--session", "1", "hi"], /expected a session id/],
    [["session", "shw"], /did you mean "show"/],
  ]
  const runs = await Promise.all(cases.map(([argv]) => cairn(space, argv)))
  for (const [index, [, message]] of cases.entries()) {
    expect(runs[index]).toMatchObject({ code: 2, out: "", err: expect.stringMatching(message) })
  }
  expect(await space.exists(path.join(space.home, ".local"))).toBe(false)
})
