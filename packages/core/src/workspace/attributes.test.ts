import { expect, test } from "bun:test"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadAttributes } from "./attributes.ts"

test("a plain file has no attributes, and neither has a missing one", async () => {
  const root = await mkdtemp(join(tmpdir(), "cairn-attributes-"))
  try {
    const attributes = await loadAttributes()
    await writeFile(`${root}/a`, "")
    expect(attributes.of(`${root}/a`) ?? []).toEqual([])
    expect(attributes.of(`${root}/missing`) ?? []).toEqual([])
  } finally {
    await rm(root, { recursive: true })
  }
})

test.if(process.platform === "linux" && Bun.which("python3") !== null)(
  "an attribute that somebody set is seen",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "cairn-attributes-"))
    try {
      await writeFile(`${root}/a`, "")
      const set = Bun.spawnSync([
        "python3",
        "-c",
        `import os; os.setxattr(${JSON.stringify(`${root}/a`)}, "user.tag", b"x")`,
      ])
      if (set.exitCode !== 0) return
      expect((await loadAttributes()).of(`${root}/a`)).toEqual(["user.tag"])
    } finally {
      await rm(root, { recursive: true })
    }
  },
)
