import { describe, expect, test } from "bun:test"
import { fakeIo } from "../../test/fake-io.ts"
import type { Command } from "../argv/define.ts"
import { runCli } from "../cli.ts"
import { commands } from "../command/all.ts"
import { bashScript } from "./bash.ts"
import { fishScript } from "./fish.ts"
import { completionSpec, flagNames } from "./spec.ts"
import { zshScript } from "./zsh.ts"

const scripts = [
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
] as const

describe.each([...scripts])("the script for %s", (name, write) => {
  const script = write(completionSpec(commands))

  test("is what the command prints", async () => {
    const io = fakeIo()
    expect(await runCli(io, ["completion", name])).toBe(0)
    expect(io.stdout.text).toBe(script)
    expect(io.stderr.text).toBe("")
  })

  test("knows every command and every flag", () => {
    for (const { name: command, flags } of commands) {
      for (const word of command.split(" ")) expect(script).toContain(word)
      for (const flag of flags)
        expect(script).toContain(name === "fish" ? `-l ${flag.name}` : (flagNames(flag)[0] ?? ""))
    }
    expect(script).not.toContain("undefined")
  })

  test("keeps quotes and other signs of a description to itself", () => {
    const odd: Command = {
      name: "odd",
      summary: `It's "odd": $(touch x) \\ \`y\``,
      doc: "",
      examples: [],
      flags: [{ name: "flag", doc: `it's: '$HOME'`, parse: () => ({ ok: true, value: 1 }) }],
      run: async () => 0,
    }
    const text = write(completionSpec([odd]))
    const shell = Bun.which(name)
    if (!shell) return
    const { exitCode, stderr } = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(text), env: {} })
    expect([exitCode, stderr.toString()]).toEqual([0, ""])
  })
})

test("another shell is refused with those there are", async () => {
  const io = fakeIo()
  expect(await runCli(io, ["completion", "tcsh"])).toBe(2)
  expect(io.stderr.text).toContain("bash, zsh, fish")
  expect(io.stdout.text).toBe("")
})
