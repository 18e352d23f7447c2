import { describe, expect, test } from "bun:test"
import type { Ask, CommandPart } from "./ask.ts"
import { askVerdicts, planVerdict } from "./command-verdict.ts"
import { fromConfig } from "./rule.ts"

const part = (text: string, more: Partial<CommandPart> = {}): CommandPart => ({
  text,
  named: [text],
  also: [],
  free: false,
  ...more,
})
const ask = (...commands: CommandPart[]): Ask => ({
  permission: "bash",
  patterns: [...new Set(commands.map(({ text }) => text))],
  always: [],
  commands,
})
const verdict = (rules: Parameters<typeof fromConfig>[0], ...commands: CommandPart[]) =>
  planVerdict([ask(...commands)], [fromConfig(rules)], "/w")

const wrapped = part("timeout 5 make", { named: ["make"], also: ["timeout 5 make"] })
const path = part("/usr/bin/git x", { named: ["/usr/bin/git x", "git x"] })
const elsewhere = part("./git x", { named: ["./git x"], also: ["git x"] })

describe("one command, many texts", () => {
  test.each([
    ["allow", { "*": "ask", "make *": "allow" }, wrapped],
    ["ask", { "*": "ask", "timeout *": "allow" }, wrapped],
    ["deny", { "*": "allow", "timeout *": "deny" }, wrapped],
    ["ask", { "*": "allow", "timeout *": "ask" }, wrapped],
    ["ask", { "make *": "allow", "timeout *": "ask" }, wrapped],
    ["deny", { "*": "deny", "timeout *": "allow" }, wrapped],
    ["allow", { "*": "deny", "make *": "allow" }, wrapped],
    ["deny", { "make *": "allow", "*": "deny" }, wrapped],
    ["allow", { "*": "ask", "git *": "allow" }, path],
    ["deny", { "*": "allow", "git *": "deny" }, path],
    ["ask", { "*": "ask", "git *": "allow" }, elsewhere],
    ["deny", { "*": "allow", "git *": "deny" }, elsewhere],
    ["allow", { "*": "ask", "./git *": "allow" }, elsewhere],
    ["ask", { "*": "allow", "rm -rf *": "deny" }, part("rm $x", { named: ["rm \uffff"] })],
    ["allow", { "*": "allow", "rm -rf *": "deny" }, part("rm $?", { named: ["rm \ufffe"] })],
    ["deny", { "*": "allow", "rm *": "deny" }, part("rm $x", { named: ["rm \uffff"] })],
    ["ask", { "*": "ask", "git status *": "allow" }, part("git $x", { named: ["git \uffff"] })],
    ["allow", { "*": "ask", "git *": "allow" }, part("git $x", { named: ["git \uffff"] })],
    ["ask", {}, part("x")],
  ] as const)("%s by %j", (expected, bash, command) => {
    expect(verdict({ bash }, command)).toBe(expected)
  })
})

test("what only steers a line needs no rule beside what does not, and does by itself", () => {
  const cd = part("cd x", { free: true })
  const rules = { bash: { "*": "ask", "make *": "allow" } } as const
  expect(verdict(rules, cd, part("make"))).toBe("allow")
  expect(verdict(rules, cd)).toBe("ask")
  expect(verdict({ bash: "deny" }, cd, part("make"))).toBe("deny")
  expect(verdict({ bash: { "*": "ask", "make *": "allow", "cd *": "deny" } }, cd, part("make"))).toBe("deny")
})

test("two commands of one text are both decided", () => {
  const loop = [part("rm $f", { named: ["rm a"] }), part("rm $f", { named: ["rm b"] })]
  expect(verdict({ bash: { "*": "allow", "rm b": "deny" } }, ...loop)).toBe("deny")
  expect(askVerdicts(ask(...loop), [fromConfig({ bash: "allow" })], "/w")).toHaveLength(1)
})

test("every list of a stack has to allow, and what must be asked for is", () => {
  const stack = [fromConfig({ bash: "allow" }), fromConfig({ bash: { "*": "allow", make: "ask" } })]
  expect(planVerdict([ask(wrapped)], stack, "/w")).toBe("ask")
  expect(planVerdict([{ ...ask(path), mustAsk: { reason: "x" } }], stack, "/w")).toBe("ask")
  expect(planVerdict([{ ...ask(path), opaque: { text: "x", reason: "x" } }], stack, "/w")).toBe("ask")
})
