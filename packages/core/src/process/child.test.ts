import { expect, test } from "bun:test"
import { start } from "./child.ts"

const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" }
const script = ["bash", "-c", "echo out; echo err >&2; seq 1 20000; exit 3"]
const begin = (argv: readonly string[]) => start({ argv, cwd: "/", merged: true }, env, () => undefined, "/no/shell")

test("without a pipe and without a shell a command runs, and both its outputs come in one stream", async () => {
  const started = begin(script)
  if (!started.ok) throw new Error(started.error.message)
  const [out, err] = await Promise.all([started.value.stdout.text(), started.value.stderr.text()])
  expect(await started.value.process.exited).toBe(3)
  const lines = out.trimEnd().split("\n")
  expect(lines).toHaveLength(20_002)
  expect(lines.filter((line) => line === "err")).toHaveLength(1)
  expect(lines.filter((line) => line !== "err").slice(0, 3)).toEqual(["out", "1", "2"])
  expect(err).toBe("")
})

test("its reader may go before its end", async () => {
  const started = begin(["bash", "-c", "trap '' PIPE; echo one; cat; echo two"])
  if (!started.ok) throw new Error(started.error.message)
  const reader = started.value.stdout.getReader()
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toStartWith("one\n")
  await reader.cancel()
  expect(await started.value.process.exited).toBeNumber()
})

test("a program that is not there is named, not the shell", () => {
  expect(begin(["/no/program"])).toEqual({
    ok: false,
    error: { kind: "missing", message: "/no/program: there is no such program" },
  })
})
