import { expect, test } from "bun:test"
import { descendants, isAlive, processesWith, stillAlive } from "./process-tree.ts"

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return new TextDecoder().decode(value).trim()
}

test("finds children and grandchildren, and sees them go", async () => {
  const child = Bun.spawn(["sh", "-c", "sleep 60 & echo $!; wait"], { stdout: "pipe" })
  const grandchild = Number(await firstLine(child.stdout))
  try {
    expect(descendants(process.pid)).toEqual(expect.arrayContaining([child.pid, grandchild]))
    expect(descendants(child.pid)).toEqual([grandchild])
    expect(isAlive(grandchild)).toBe(true)
    expect(await stillAlive([grandchild], 0)).toEqual([grandchild])
  } finally {
    process.kill(grandchild, "SIGKILL")
    child.kill("SIGKILL")
  }
  await child.exited
  expect(await stillAlive([child.pid, grandchild])).toEqual([])
  expect(descendants(process.pid)).not.toContain(child.pid)
})

test("finds an orphan by a token in its command line or environment", async () => {
  const token = `token-${crypto.randomUUID()}`
  const env = { PATH: process.env.PATH ?? "", MARK: token }
  const child = Bun.spawn(["sh", "-c", "setsid sleep 60 >/dev/null & echo $!"], { stdout: "pipe", env })
  const orphan = Number(await firstLine(child.stdout))
  await child.exited
  try {
    expect(processesWith(token)).toContain(orphan)
    expect(descendants(child.pid)).toEqual([])
  } finally {
    process.kill(orphan, "SIGKILL")
  }
  expect(await stillAlive([orphan])).toEqual([])
  expect(processesWith(token)).toEqual([])
})

test("a process that never was is not alive", () => {
  expect(isAlive(2 ** 30)).toBe(false)
  expect(descendants(2 ** 30)).toEqual([])
})
