import { expect, test } from "bun:test"
import { terminalReport } from "./report.ts"

const value = (report: ReturnType<typeof terminalReport>, name: string) =>
  report.rows.find(([candidate]) => candidate === name)?.[1]

test("a terminal is told with what it can do, and the renderer loads", () => {
  const env = {
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    LANG: "C.UTF-8",
    TMUX: "/tmp/s,1,0",
    SSH_TTY: "/dev/pts/0",
  }
  const report = terminalReport({ env, terminal: true, columns: 120 })
  expect(value(report, "terminal")).toBe("xterm-256color, 120 columns")
  expect(value(report, "colours")).toBe("16 million")
  expect(value(report, "glyphs")).toBe("Unicode")
  expect(value(report, "multiplexer")).toBe("tmux")
  expect(value(report, "remote")).toStartWith("yes")
  expect(value(report, "renderer")).toBe("loaded")
  expect(report.problem).toBeUndefined()
})

test("no terminal, no colours, no glyphs: said in words", () => {
  const report = terminalReport({ env: { TERM: "dumb", LANG: "C" }, terminal: false, columns: 80 })
  expect(value(report, "terminal")).toStartWith("none")
  expect(value(report, "colours")).toStartWith("none")
  expect(value(report, "glyphs")).toBe("ASCII")
  expect(value(report, "multiplexer")).toBe("none")
  expect(value(report, "remote")).toBe("no")
})
