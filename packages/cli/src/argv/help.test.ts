import { describe, expect, test } from "bun:test"
import { commands } from "../command/all.ts"
import { helpText, wrap } from "./help.ts"

describe("help", () => {
  test("of everything", () => {
    expect(helpText(commands, "")).toMatchSnapshot()
  })

  test.each(commands.map((command) => [command.name]))("of %s", (name) => {
    expect(helpText(commands, name)).toMatchSnapshot()
  })

  test("of a group lists its commands alone", () => {
    const text = helpText(commands, "session")
    expect(text).toContain("session list")
    expect(text).not.toContain("debug")
  })

  test("fits into 80 columns, apart from examples", () => {
    for (const topic of ["", "session", ...commands.map((command) => command.name)]) {
      const lines = helpText(commands, topic).split("\n")
      const long = lines.filter((line) => line.length > 80 && !/^ {2}(cairn|git) /.test(line))
      expect(long).toEqual([])
    }
  })
})

describe("every command", () => {
  test.each(commands.map((command) => [command.name, command] as const))("%s can be understood", (name, command) => {
    expect(command.examples.length).toBeGreaterThan(0)
    for (const example of command.examples) expect(example).toContain(`cairn ${name}`)
    expect(command.summary).not.toEndWith(".")
    expect(command.doc.length).toBeGreaterThan(10)
    const names = command.flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])])
    expect(new Set([...names, "--help", "-h"]).size).toBe(names.length + 2)
  })
})

describe("wrap", () => {
  test("breaks at spaces and keeps paragraphs", () => {
    expect(wrap("aa bb cc\n\ndd", 5)).toEqual(["aa bb", "cc", "", "dd"])
  })

  test("leaves a long word whole", () => {
    expect(wrap("a abcdefgh b", 4)).toEqual(["a", "abcdefgh", "b"])
  })
})
