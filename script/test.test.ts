import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

let root = ""

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "cairn-test-runner-"))
  await mkdir(join(root, "script"))
  for (const name of ["test.ts", "junit.ts"]) await copyFile(join(import.meta.dir, name), join(root, "script", name))
  const files = {
    "good/one": `test("a", () => {}); test("b", () => {})`,
    "good/two": `test("<c> & 'd'", () => expect(process.env.CAIRN_TEST_LONG).toBe(undefined))`,
    "long/three": `test("e", () => expect(process.env.CAIRN_TEST_LONG).toBe("1"))`,
    "bad/fails": `test("f", () => expect(1).toBe(2)); test("g", () => {}); test.skipIf(true)("h", () => {})`,
    "bad/unloadable": `import { missing } from "./missing.ts"\ntest("i", () => missing())`,
    "bad/killed": `test("k", () => process.kill(process.pid, "SIGKILL"))`,
    "bad/exits": `test("l", () => process.exit(0)); test("m", () => {})`,
    "bad/empty": `export const nothing = 1`,
    "late/rejects": `test("n", () => {}); test("o", async () => { Promise.reject(new Error("late")); await Bun.sleep(1) })`,
    "alone/killed": `test("p", () => process.kill(process.pid, "SIGKILL"))`,
    "node_modules/x/y": `test("q", () => expect(1).toBe(2))`,
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, "packages", `${name}.test.ts`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `import { expect, test } from "bun:test"\n${text}\n`)
  }
})

afterAll(() => rm(root, { recursive: true, force: true }))

async function run(...args: string[]) {
  const { CAIRN_TEST_LONG: _, ...env } = process.env
  const child = Bun.spawn([process.execPath, join(root, "script/test.ts"), ...args], {
    cwd: "/",
    env,
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { last: out.trimEnd().split("\n").at(-1), out, err, code }
}

describe("the test command", () => {
  test("ends with the sum of what passed, and exits 0", async () => {
    const { last, code } = await run("packages/good")
    expect(last).toBe("3 passed, 0 failed")
    expect(code).toBe(0)
  })

  test("a failing, an unloadable, a killed, an exiting and an empty file each count as failed; the others go on", async () => {
    const { last, out, err, code } = await run("packages/bad", "packages/good/one")
    expect(last).toBe("3 passed, 5 failed")
    expect(code).toBe(1)
    expect(err).toContain("(fail) f")
    expect(err).toContain("missing.ts")
    expect(out).toContain("bad/unloadable.test.ts: no test of it ran")
    expect(out).toContain("bad/empty.test.ts: no test of it ran")
  })

  test("a single file that kills its runner is a failure", async () => {
    const { last, code } = await run("packages/alone")
    expect(last).toBe("0 passed, 1 failed")
    expect(code).toBe(1)
  })

  test("a rejection that nobody handles fails the run", async () => {
    const { last, code } = await run("packages/late")
    expect(last).toBe("1 passed, 1 failed")
    expect(code).toBe(1)
  })

  test("no test is no success", async () => {
    const { last, out, code } = await run("packages/absent")
    expect(last).toBe("0 passed, 0 failed")
    expect(out).toContain("no test file was found")
    expect(code).toBe(1)
  })

  test("--long reaches the tests", async () => {
    expect(await run("--long", "packages/long")).toMatchObject({ last: "1 passed, 0 failed", code: 0 })
    expect(await run("packages/long")).toMatchObject({ last: "0 passed, 1 failed", code: 1 })
  })

  test("an unknown option is refused", async () => {
    const { err, code } = await run("--lnog")
    expect(err).toContain("--lnog")
    expect(code).toBe(2)
  })
})
