import { describe, expect, test } from "bun:test"
import { ok } from "@cairn/kernel/result"
import fc from "fast-check"
import type { Command, Flag, Input } from "./define.ts"
import { parseArgv, parseCommand } from "./parse.ts"

const name: Flag<string> = { name: "name", short: "n", value: "text", doc: "A name", parse: (text) => ok(text) }
const many: Flag<string> = { ...name, name: "many", short: "m", repeatable: true }
const loud: Flag<boolean> = { name: "loud", short: "l", doc: "Loud", parse: (text) => ok(text === "true") }
const size: Flag<number> = {
  name: "size",
  value: "number",
  doc: "A size",
  parse: (text) => (/^\d+$/.test(text) ? ok(Number(text)) : { ok: false, error: `expected digits, got ${text}` }),
}
const flags = [name, many, loud, size]
const command = (path: string, change: Partial<Command> = {}): Command => ({
  name: path,
  summary: path,
  doc: path,
  examples: [`cairn ${path}`],
  flags,
  run: async () => 0,
  ...change,
})
const say = command("say", { args: { usage: "[word…]", doc: "Words", min: 0, max: Infinity } })
const commands = [
  say,
  command("session list"),
  command("session show", { args: { usage: "<id>", doc: "", min: 1, max: 1 } }),
]

function input(...argv: string[]): Input {
  const request = parseArgv(commands, argv)
  if (!request.ok || request.value.kind !== "run") throw new Error(JSON.stringify(request))
  return request.value.input
}
function refusal(...argv: string[]): string {
  const request = parseArgv(commands, argv)
  if (request.ok) throw new Error("was accepted")
  return request.error.message
}

describe("values", () => {
  test("follow their flag or an equals sign", () => {
    expect(input("say", "--name", "a").get(name)).toBe("a")
    expect(input("say", "--name=a=b").get(name)).toBe("a=b")
    expect(input("say", "-n", "a").get(name)).toBe("a")
    expect(input("say", "--name=").get(name)).toBe("")
  })

  test("may begin with a dash", () => {
    expect(input("say", "--name", "-x").get(name)).toBe("-x")
  })

  test("are what their flag made of them", () => {
    expect(input("say", "--size", "12").get(size)).toBe(12)
    expect(refusal("say", "--size", "big")).toBe("--size: expected digits, got big")
  })

  test("of a switch are optional", () => {
    expect(input("say", "--loud", "word")).toMatchObject({ words: ["word"] })
    expect(input("say", "--loud").get(loud)).toBe(true)
    expect(input("say", "--loud=false").get(loud)).toBe(false)
    expect(input("say").get(loud)).toBeUndefined()
  })

  test("of a repeatable flag stay in order", () => {
    const given = input("say", "--many", "a", "word", "-m", "b")
    expect(given.all(many)).toEqual(["a", "b"])
    expect(given.words).toEqual(["word"])
  })

  test("that are missing or given twice are refused", () => {
    expect(refusal("say", "--name")).toBe("--name needs a value: --name <text>")
    expect(refusal("say", "--name=a", "--name=b")).toBe("--name was given twice")
  })
})

describe("words", () => {
  test("after -- are never flags", () => {
    expect(input("say", "--loud", "--", "--name", "-x", "--").words).toEqual(["--name", "-x", "--"])
  })

  test("may be a single dash", () => {
    expect(input("say", "-").words).toEqual(["-"])
  })

  test("are counted", () => {
    expect(refusal("session", "show")).toBe("<id> is missing")
    expect(refusal("session", "show", "a", "b")).toBe('unexpected "b"')
    expect(refusal("session", "list", "a")).toBe('unexpected "a"')
  })
})

describe("mistakes", () => {
  test("in a flag name the nearest one, or say how to write text", () => {
    expect(refusal("say", "--nmae", "x")).toBe('unknown flag "--nmae": did you mean --name?')
    expect(refusal("say", "--zzzzzz")).toBe('unknown flag "--zzzzzz"; if it is part of the text, put -- before it')
  })

  test("in a command name the nearest one, or list them", () => {
    expect(refusal("sya")).toBe('unknown command "sya": did you mean "say"?')
    expect(refusal("zzz")).toBe('unknown command "zzz"; known: say, session')
    expect(refusal("session", "lsit")).toBe('unknown command "session lsit": did you mean "list"?')
    expect(refusal("session")).toBe('"session" needs a subcommand: list, show')
  })

  test("do not mistake a long flag for a short one", () => {
    expect(refusal("say", "--n", "x")).toContain('unknown flag "--n"')
    expect(refusal("say", "-name", "x")).toContain('unknown flag "-name"')
  })

  test("before the command are explained", () => {
    expect(refusal("--loud", "say")).toBe('unknown flag "--loud": flags stand after the command')
  })

  test("are quoted and cut", () => {
    expect(refusal("\u001b[2J".repeat(100)).length).toBeLessThan(500)
    expect(refusal("\u001b[2J")).not.toContain("\u001b")
  })
})

describe("help and version", () => {
  const kinds: [string[], unknown][] = [
    [[], { kind: "help", topic: "" }],
    [["--help"], { kind: "help", topic: "" }],
    [["-h"], { kind: "help", topic: "" }],
    [["help"], { kind: "help", topic: "" }],
    [["help", "session", "list"], { kind: "help", topic: "session list" }],
    [["session", "--help"], { kind: "help", topic: "session" }],
    [["session", "list", "-h"], { kind: "help", topic: "session list" }],
    [["say", "--size", "1", "--help"], { kind: "help", topic: "say" }],
    [["--version"], { kind: "version" }],
    [["-v"], { kind: "version" }],
  ]
  test.each(kinds)("%j", (argv, expected) => {
    expect(parseArgv(commands, argv)).toEqual(ok(expected as never))
  })

  test("help of what does not exist is a mistake", () => {
    expect(refusal("help", "sya")).toContain("did you mean")
  })
})

test("whatever stands after -- arrives as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const request = parseCommand(say, ["--", ...words])
      expect(request.ok && request.value.kind === "run" && request.value.input.words).toEqual(words)
    }),
  )
})

test("no argument list makes it throw", () => {
  const token = fc.oneof(
    fc.string(),
    fc.constantFrom("--name", "--loud", "-n", "--", "--size=1", "say", "session", "list"),
  )
  fc.assert(
    fc.property(fc.array(token), (argv) => {
      parseArgv(commands, argv)
    }),
  )
})
