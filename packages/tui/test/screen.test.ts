import { describe, expect, setDefaultTimeout, test } from "bun:test"
import path from "node:path"
import { modesLeft, openPty } from "./pty.ts"

// Each starts a runtime of its own.
setDefaultTimeout(30_000)

const fixture = path.join(import.meta.dir, "fixture/screen.ts")
/** Says how the line discipline is before and after, as a shell would find it. */
const script = `stty -g; ${process.execPath} ${fixture} "$0"; echo "code=$?"; stty -g`

const open = (way = "wait", env: Record<string, string> = {}) => openPty(["/bin/sh", "-c", script, way], env)

/** Whether the terminal is as it was: modes, line discipline, and the keyboard protocol popped as often as pushed. */
function expectRestored(output: string): void {
  expect(modesLeft(output)).toEqual([])
  const disciplines = output.match(/^[0-9a-f]+(?::[0-9a-f]+){5,}\s*$/gm)?.map((line) => line.trim())
  expect(disciplines).toHaveLength(2)
  expect(disciplines?.[0]).toBe(disciplines?.[1] ?? "")
  expect(output.match(/\x1b\[22;2t/g)?.length).toBe(output.match(/\x1b\[23;2t/g)?.length ?? 0)
  expect(output).not.toContain("\x1b[?1003h")
}

describe.skipIf(process.platform === "win32")("the terminal is as it was", () => {
  test("after the end", async () => {
    await using pty = open()
    await pty.until("READY")
    pty.write("q")
    await pty.until("code=0")
    await pty.exited
    expect(modesLeft(pty.output().slice(0, pty.output().indexOf("READY")))).toContain("1049")
    expectRestored(pty.output())
  })

  test("after an exit that nobody announced", async () => {
    await using pty = open("exit")
    await pty.until("code=7")
    await pty.exited
    expectRestored(pty.output())
  })

  test.each([
    ["t", "internal error: Error: thrown"],
    ["r", "internal error: Error: rejected"],
  ])("after a defect (%s), which is told once it is restored", async (key, message) => {
    await using pty = open()
    await pty.until("READY")
    pty.write(key)
    await pty.until("code=1")
    await pty.exited
    const { length } = pty.output().split("\x1b[?1049l")[0]!
    const told = pty.output().slice(length)
    expect(told).toContain(message)
    expect(told).toContain("the report is in /somewhere/report")
    expect(told).not.toContain("\x1b]0;evil")
    expectRestored(pty.output())
  })

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
  ] as const)("after %s, with its exit code", async (signal, code) => {
    await using pty = open()
    await pty.until("READY")
    const children = Bun.spawnSync(["pgrep", "-P", String(pty.pid)])
    process.kill(Number(children.stdout.toString().trim()), signal)
    await pty.until(`code=${code}`)
    await pty.exited
    expectRestored(pty.output())
  })
})

describe.skipIf(process.platform === "win32")("while we have it", () => {
  test("an editor gets it whole, and we take it back", async () => {
    await using pty = open()
    await pty.until("READY")
    pty.write("e")
    const before = await pty.until("ASIDE")
    expect(before).toContain("\x1b[?1049l")
    await pty.until("\x1b[?1049h")
    pty.write("q")
    await pty.until("code=0")
    await pty.exited
    expectRestored(pty.output())
  })

  test("what a library prints is noted, and disturbs no frame", async () => {
    await using pty = open()
    await pty.until("READY")
    pty.write("x")
    pty.write("w")
    await pty.until("NOTED1")
    pty.write("q")
    await pty.until("code=0")
    expect(pty.output()).not.toContain("in a key")
  })

  test("ctrl+z stops the whole job, and the shell's fg goes on with it", async () => {
    await using pty = openPty(["/bin/sh", "-mi"], { PS1: "$ " })
    pty.write(`${process.execPath} ${fixture} wait\r`)
    await pty.until("READY")
    pty.write("z")
    const stopped = await pty.until("Stopped")
    expect(modesLeft(pty.output())).toEqual([])
    expect(stopped).toContain("\x1b[?1049l")
    pty.write("fg\r")
    await pty.until("\x1b[?1049h")
    await pty.until("READY")
    pty.write("q")
    // What is typed before the prompt is back may still be read by us.
    await pty.until("$ ")
    pty.write("exit\r")
    await pty.exited
    expect(modesLeft(pty.output())).toEqual([])
  })

  test("a copy says where it went, and a notification goes out whole", async () => {
    await using pty = open("wait", { SSH_TTY: "/dev/pts/9" })
    await pty.until("READY")
    pty.write("n")
    await pty.until("\x1b]9;cairn: done\x07")
    pty.write("c")
    await pty.until("COPY")
    pty.write("q")
    await pty.until("code=0")
    await pty.exited
    expectRestored(pty.output())
  })
})
