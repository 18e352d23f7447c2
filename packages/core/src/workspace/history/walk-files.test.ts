import { expect, test } from "bun:test"
import { join } from "node:path"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import { commandBench } from "../../../test/history/command-bench.ts"
import { isPassedOver, walkFiles } from "./walk-files.ts"

const { signal } = new TaskGroup()

test("files and links, not what they lead to, without builds and dependencies", async () => {
  await using bench = await commandBench(
    "echo a > a; mkdir -p src/deep node_modules/x Build .git; echo d > src/deep/d; echo m > node_modules/x/m; echo o > Build/o; ln -s /etc link; mkfifo pipe",
  )
  const { files, directories, passedOver, cut } = await walkFiles(bench.directory, 100, signal)
  const below = (paths: readonly string[]) => paths.map((path) => path.slice(bench.directory.length + 1)).toSorted()
  expect(below(files)).toEqual(["a", "link", "pipe", "src/deep/d"])
  expect(below(directories)).toEqual(["", "src", "src/deep"])
  expect(below(passedOver)).toEqual([".git", "Build", "node_modules"])
  expect(cut).toBe(false)
})

test("a link that leads in a circle is a link, and with everything builds are walked too", async () => {
  await using bench = await commandBench("mkdir dist; echo a > dist/a; ln -s loop dist/loop; ln -s .. dist/up")
  const { files } = await walkFiles(join(bench.directory, "dist"), 100, signal, true)
  expect(files.map((path) => path.slice(bench.directory.length + 1)).toSorted()).toEqual([
    "dist/a",
    "dist/loop",
    "dist/up",
  ])
  expect((await walkFiles(bench.directory, 100, signal, true)).files).toHaveLength(3)
})

test("stops at so many, and says so; a directory that is not there has none", async () => {
  await using bench = await commandBench("mkdir one two; touch one/1 one/2 two/1 two/2 0")
  const some = await walkFiles(bench.directory, 2, signal)
  expect([some.files.length, some.cut]).toEqual([2, true])
  expect((await walkFiles(bench.directory, 5, signal)).cut).toBe(false)
  expect(await walkFiles(join(bench.directory, "none"), 5, signal)).toMatchObject({ files: [], cut: false })
  const group = new TaskGroup()
  group.cancel(new Interrupted())
  expect(await walkFiles(bench.directory, 5, group.signal).catch((error: unknown) => error)).toBeInstanceOf(Interrupted)
})

test("names of builds are known in any case, and by their beginning", () => {
  expect(["node_modules", "DIST", "bazel-out", "cmake-build-debug", ".venv"].every(isPassedOver)).toBe(true)
  expect(["src", "lib", "bin", "distribution", "my_node_modules", "bazel"].some(isPassedOver)).toBe(false)
})
