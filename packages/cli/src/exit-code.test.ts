import { describe, expect, test } from "bun:test"
import { HeadlessExitCode, HeadlessReason } from "@cairn/schema/headless"
import { ErrorClass } from "@cairn/schema/error"
import { outcome } from "../test/values.ts"
import { exitOf, type RunEnd } from "./exit-code.ts"

const turn = (
  change: Parameters<typeof outcome>[0],
  rest: Partial<Extract<RunEnd, { kind: "turn" }>> = {},
): RunEnd => ({ kind: "turn", outcome: outcome(change), ...rest })
const setup = (kind: "usage" | "key" | "busy"): RunEnd => ({ kind: "setup", error: { kind, message: "x" } })

const cases: [string, RunEnd, number, string][] = [
  ["done", turn({}), 0, "done"],
  ["done, but an ask nobody could answer", turn({ denied: 1 }), 4, "done"],
  ["done, but the client closed its input", turn({}, { unanswered: 1 }), 4, "done"],
  ["done although a signal came", turn({}, { interruption: "SIGINT" }), 0, "done"],
  ["rejected", turn({ reason: "rejected" }), 4, "rejected"],
  ["a defect", turn({ reason: "error" }), 1, "error"],
  ["an error that is an abortion", turn({ reason: "error", errorClass: "aborted" }), 1, "error"],
  ["the step limit", turn({ reason: "step_limit" }), 5, "step_limit"],
  ["the budget", turn({ reason: "budget" }), 5, "budget"],
  ["the loop guard", turn({ reason: "loop_guard" }), 6, "loop_guard"],
  ["the loop guard with a denial", turn({ reason: "loop_guard", denied: 2 }), 6, "loop_guard"],
  ["SIGINT", turn({ reason: "aborted" }, { interruption: "SIGINT" }), 130, "aborted"],
  ["SIGTERM", turn({ reason: "aborted" }, { interruption: "SIGTERM" }), 143, "aborted"],
  ["a reader that went away", turn({ reason: "aborted" }, { interruption: "SIGPIPE" }), 141, "aborted"],
  ["an abortion by somebody else", turn({ reason: "aborted" }), 130, "aborted"],
  ["a restart", turn({ reason: "interrupted_by_restart" }), 1, "interrupted_by_restart"],
  ["SIGTERM before the turn", { kind: "interrupted", interruption: "SIGTERM" }, 143, "aborted"],
  ["usage", setup("usage"), 2, "usage"],
  ["no key", setup("key"), 2, "key"],
  ["busy", setup("busy"), 2, "busy"],
  ["a throw", { kind: "defect" }, 1, "internal"],
]

describe("the exit code of", () => {
  test.each(cases)("%s", (_name, end, code, reason) => {
    expect(exitOf(end)).toEqual({ code, reason } as never)
    expect(HeadlessExitCode.parse(code)).toBe(code)
    expect(HeadlessReason.parse(reason)).toBe(reason as never)
  })

  test.each(ErrorClass.options.filter((each) => each !== "aborted"))("a provider's %s", (errorClass) => {
    expect(exitOf(turn({ reason: "error", errorClass })).code).toBe(3)
  })
})
