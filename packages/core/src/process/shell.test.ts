import { afterAll, beforeAll, expect, test } from "bun:test"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TaskGroup } from "@cairn/kernel/task"
import { dialectOf, findShell, shellCommand } from "./shell.ts"
import { createSupervisor } from "./supervisor.ts"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"

let path = ""
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "cairn-shells-"))
})
afterAll(() => rm(path, { recursive: true, force: true }))

async function install(...names: string[]) {
  await rm(path, { recursive: true, force: true })
  path = await mkdtemp(join(tmpdir(), "cairn-shells-"))
  for (const name of names) {
    await writeFile(join(path, name), "#!/bin/sh\n")
    await chmod(join(path, name), 0o755)
  }
}
const found = (wanted?: string, platform?: NodeJS.Platform) =>
  findShell({ PATH: path }, wanted, platform).replace(`${path}/`, "")

test("bash comes first, then what the system has", async () => {
  await install("bash", "pwsh", "powershell", "cmd")
  expect([found(undefined, "linux"), found(undefined, "win32")]).toEqual(["bash", "bash"])
  await install("pwsh", "powershell", "cmd")
  expect([found(undefined, "linux"), found(undefined, "win32")]).toEqual(["/bin/sh", "pwsh"])
  await install("powershell", "cmd")
  expect(found(undefined, "win32")).toBe("powershell")
  await install("cmd")
  expect(found(undefined, "win32")).toBe("cmd")
})

test("the wanted one is taken where it exists, by name or path", async () => {
  await install("bash", "zsh", "pwsh")
  expect([found("zsh"), found("pwsh"), found(join(path, "zsh"))]).toEqual(["zsh", "pwsh", "zsh"])
  expect([found("fish"), found("/nowhere/zsh")]).toEqual(["bash", "bash"])
})

test.each([
  ["/bin/bash", "bash"],
  ["sh", "sh"],
  ["/usr/bin/zsh", "zsh"],
  ["C:\\Program Files\\PowerShell\\7\\pwsh.exe", "powershell"],
  ["C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\PowerShell.EXE", "powershell"],
  ["cmd.exe", "cmd"],
  ["/usr/bin/fish", "other"],
  ["constructor", "other"],
] as const)("%s reads as %s", (shell, dialect) => expect(dialectOf(shell)).toBe(dialect))

test("each shell gets the line whole", () => {
  const line = `-x "a 'b" é`
  expect(shellCommand(line, "/bin/bash")).toEqual(["/bin/bash", "-c", "--", line])
  const [encoded] = shellCommand(line, "pwsh").slice(-1)
  expect(Buffer.from(encoded!, "base64").toString("utf16le")).toBe(line)
  expect(shellCommand(line, "pwsh")).toContain("-NoProfile")
  expect(shellCommand(line, "cmd.exe")).toEqual(["cmd.exe", "/d", "/s", "/c", line])
})

const installed = ["bash", "sh", "dash", "zsh"].flatMap((name) => Bun.which(name) ?? [])
test.each(installed)("%s runs a line that begins with a dash", async (shell) => {
  await using group = new TaskGroup()
  await using supervisor = createSupervisor({
    clock: systemClock,
    log: silentLog,
    env: { PATH: process.env["PATH"] ?? "" },
  })
  const ran = await supervisor.run({
    argv: shellCommand(`-nothing-of-that-name; echo "a 'b" 'c'`, shell),
    cwd: "/",
    signal: group.signal,
    maxBytes: 1000,
  })
  expect(ran.ok && ran.value.stdout).toBe("a 'b c\n")
})
