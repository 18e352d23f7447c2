import { describe, expect, test } from "bun:test"
import { chmod, mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { RevertReport } from "@cairn/schema/revert"
import { asNobody } from "../support/as-nobody.ts"
import { type SessionWorld, sessionWorld } from "./session-world.ts"
import { mountable } from "./temp-blobs.ts"

/*
 * What stands elsewhere: a disk that is full when a content is to be kept (scenario/journal.test.ts, blob-store.test.ts and
 * command-journal.test.ts on a small disk; journal.test.ts and scenario/revert.test.ts with a store that takes nothing), a
 * file that changes while it is read (blob-store.test.ts), a crash in the middle (scenario/revert-kill.test.ts), more untracked
 * files than are watched (command-journal.test.ts), 3 GB before a command that destroys (at-risk.test.ts).
 */

const git = "git init -q -b main .; git add -A; git commit -qm first"
const setup = `echo a > a; echo b > b; mkdir sub; echo s > sub/s; ${git}`
const long = process.env["CAIRN_TEST_LONG"] !== undefined

const told = ({ files }: RevertReport) =>
  files.map(({ action, file, reason }) => `${action} ${file}${reason === undefined ? "" : `: ${reason}`}`)
const texts = async (world: SessionWorld) =>
  Object.fromEntries([...(await world.tree())].map(([name, entry]) => [name, "text" in entry ? entry.text : "link"]))
const at = (world: SessionWorld, name: string) => join(world.bench.directory, name)
/** The words of a revert that is refused. */
const refused = (revert: Promise<RevertReport>) => revert.then(told, (error: Error) => error.message)

test("an unreadable file is named, before the command and after, and the others go back", async () => {
  await using world = await sessionWorld(`${setup}; echo secret > locked; echo mine > late`)
  await asNobody(world.bench.root, async () => {
    await chmod(at(world, "locked"), 0)
    world.prompt()
    await world.command("echo x > a; chmod 600 locked; echo y > locked; echo z > late")
    await chmod(at(world, "late"), 0)
    expect(told(await world.revert(0))).toEqual([
      "restore a",
      expect.stringMatching(
        /^conflict late: it is not the file any more that it was \(.*does not permit it \(EACCES\)/,
      ),
      expect.stringMatching(/^not_covered locked: .*does not permit it \(EACCES\)/),
    ])
    expect(await readFile(at(world, "a"), "utf8")).toBe("a\n")
    expect(await readFile(at(world, "locked"), "utf8")).toBe("y\n")
  })
})

test("a path that became a directory is left alone while others' files are in it", async () => {
  await using world = await sessionWorld(setup)
  world.prompt()
  await world.write("a", "agent\n")
  await world.write("b", undefined)
  await rm(at(world, "a"))
  await mkdir(join(at(world, "a"), "deep"), { recursive: true })
  await mkdir(at(world, "b"))
  await writeFile(join(at(world, "a"), "deep", "own"), "user\n")
  const before = await texts(world)
  expect(told(await world.revert(0))).toEqual(["conflict a: a directory stands there now", "restore b"])
  expect(await texts(world)).toEqual({ ...before, b: "b\n" })
})

describe("a worktree that is gone", () => {
  test("is not made again for files that were deleted with it, and that is said", async () => {
    await using world = await sessionWorld(setup)
    world.prompt()
    await world.write("a", "agent\n")
    await world.command("echo c > c")
    await rm(world.bench.directory, { recursive: true })
    expect(told(await world.revert(0))).toEqual(["conflict a: it was deleted since"])
    expect(await stat(world.bench.directory).catch(() => "gone")).toBe("gone")
  })

  test("comes back where the agent took it away", async () => {
    await using world = await sessionWorld("mkdir work; cd work; echo a > a; mkdir deep; echo d > deep/d", "work")
    world.prompt()
    await world.command('rm -rf a deep; rmdir "$PWD"')
    expect(await stat(world.bench.directory).catch(() => "gone")).toBe("gone")
    await world.revert(0)
    expect(await texts(world)).toEqual({ a: "a\n", "deep/d": "d\n" })
  })
})

describe("a place that cannot be written", () => {
  /** The agent changed files on both sides of it. */
  const worked = async () => {
    const world = await sessionWorld(setup)
    world.prompt()
    await world.write("a", "agent\n")
    await world.write("sub/s", "agent\n")
    await world.write("sub/new", "agent\n")
    return world
  }

  test.skipIf(!mountable)(
    "on a file system that is read-only: all is as before, and goes back once it can be",
    async () => {
      await using world = await sessionWorld("mkdir sub; echo a > a")
      const mounted = at(world, "sub")
      Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mounted])
      try {
        await writeFile(join(mounted, "s"), "s\n")
        world.prompt()
        await world.write("a", "agent\n")
        await world.write("sub/s", "agent\n")
        await world.write("sub/new", "agent\n")
        const before = await texts(world)
        Bun.spawnSync(["mount", "-o", "remount,ro", mounted])
        const said = await refused(world.revert(0))
        expect(said).toContain("read-only")
        expect(said).toEndWith("All files are as before.")
        expect(await texts(world)).toEqual(before)
        Bun.spawnSync(["mount", "-o", "remount,rw", mounted])
        await world.revert(0)
        expect(await texts(world)).toEqual({ a: "a\n", "sub/s": "s\n" })
      } finally {
        Bun.spawnSync(["umount", mounted])
      }
    },
  )

  test("for want of a right: the same", async () => {
    await using world = await worked()
    const before = await texts(world)
    await asNobody(world.bench.root, async () => {
      await chmod(at(world, "sub"), 0o555)
      await chmod(at(world, "sub/s"), 0o444)
      const said = await refused(world.revert(0))
      expect(said).toEndWith("All files are as before.")
    })
    expect(await texts(world)).toEqual(before)
    await world.revert(0)
    expect(await texts(world)).toEqual({ a: "a\n", b: "b\n", "sub/s": "s\n" })
  })
})

describe("odd names", () => {
  test.each([
    ["in git", `${setup}; mkdir ignored; echo 'ignored/' > .gitignore`],
    ["without git", "echo a > a"],
  ])("line ends, quotes, spaces, dashes: everything goes back, %s", async (_, where) => {
    await using world = await sessionWorld(where)
    const start = await texts(world)
    world.prompt()
    const name = "new\nline 'and' \"quotes\" \\ tab\t"
    await world.write(name, "tool\n")
    await world.command(
      `printf c > "$(printf 'by a\\ncommand ')" ; echo d > ./-dash; echo s > ' space'; mkdir -p ignored; echo i > "$(printf 'ignored/x\\ny')"`,
    )
    await world.command(`sed -i s/c/changed/ "$(printf 'by a\\ncommand ')"; mv ./-dash --dashes`)
    const report = await world.revert(0)
    expect(report.files.map(({ file }) => file)).toContain(JSON.stringify(name))
    expect(report.files.map(({ action }) => action)).toEqual(report.files.map(() => "delete"))
    expect(await texts(world)).toEqual(start)
    await world.unrevert()
    expect((await texts(world))[name]).toBe("tool\n")
  })

  test.each([
    ["in git", setup],
    ["without git", "echo a > a"],
  ])("a name that is no text is told, and the others go back, %s", async (_, where) => {
    await using world = await sessionWorld(where)
    world.prompt()
    const { uncovered } = await world.command(`echo x > a; echo x > "$(printf 'odd-\\377')"`)
    expect(uncovered.join()).toContain("names that are no valid UTF-8, such as ")
    const { notes } = await world.revert(0)
    expect(notes.join()).toContain("names that are no valid UTF-8")
    expect(await readFile(at(world, "a"), "utf8")).toBe("a\n")
    expect(world.bench.shell("ls | wc -l").trim()).toBe(where === setup ? "4" : "2")
  })

  test.each([
    ["mv", "mv README readme; echo x >> readme"],
    ["git mv", "git mv README readme"],
    ["in two steps", "git mv README x; git mv x ReadMe; git commit -qm renamed"],
  ])("a rename that changes the case alone: %s", async (_, command) => {
    await using world = await sessionWorld(`echo r > README; ${git}`)
    world.prompt()
    await world.command(command)
    await world.write("other", "o\n")
    await world.revert(0)
    expect(await texts(world)).toEqual({ README: "r\n" })
    await world.unrevert()
    expect(Object.keys(await texts(world))).not.toContain("README")
  })
})

test("a file that grows all the while is named or taken whole, and the command runs", async () => {
  await using world = await sessionWorld(setup)
  await writeFile(at(world, "grows.log"), "")
  const writer = Bun.spawn(["sh", "-c", "while :; do echo line >> grows.log; done"], { cwd: world.bench.directory })
  try {
    world.prompt()
    for (let n = 0; n < 5; n++) await world.command(`echo ${n} > a`)
  } finally {
    writer.kill()
    await writer.exited
  }
  const grown = await readFile(at(world, "grows.log"), "utf8")
  const report = await world.revert(0)
  expect(told(report)).toContain("restore a")
  const log = told(report).filter((line) => line.includes("grows.log"))
  expect(log.join()).not.toContain("merge")
  // Where every look found it whole it goes back to the first; else it is left as it is.
  const left = await readFile(at(world, "grows.log"), "utf8")
  expect(log.length === 0 || log[0]!.startsWith("restore") ? grown.startsWith(left) : left === grown).toBe(true)
})

describe("very many and very large", () => {
  test("a file of 3 GB that a command makes is named, and the rest goes back", async () => {
    await using world = await sessionWorld(setup)
    world.prompt()
    await world.command("truncate -s 3G big; echo x > a; rm b")
    expect(told(await world.revert(0))).toEqual(["restore a", "restore b", "not_covered big: larger than 10 MB"])
    expect((await stat(at(world, "big"))).size).toBe(3 * 1024 ** 3)
  })

  test.skipIf(!long)(
    "a file of 3 GB that a user puts where the agent wrote is left alone",
    async () => {
      await using world = await sessionWorld(setup)
      world.prompt()
      await world.write("a", "agent\n")
      await truncate(at(world, "a"), 3 * 1024 ** 3)
      expect(told(await world.revert(0))).toEqual([
        "conflict a: it is not the file any more that it was (it has 3.0 GB now)",
      ])
      expect((await stat(at(world, "a"))).size).toBe(3 * 1024 ** 3)
    },
    120_000,
  )

  test.skipIf(!long)(
    "100,000 files: what a step touches goes back; a branch that changes them all is told, and none is half back",
    async () => {
      const many = "for d in $(seq 1 100); do mkdir $d; (cd $d; seq 1 1000 | xargs touch); done"
      const change =
        "git checkout -qb other; for d in $(seq 1 100); do echo x | tee $d/* > /dev/null; done; git commit -qam other; git checkout -q main"
      await using world = await sessionWorld(`${many}; ${git}; ${change}`)
      world.prompt()
      await world.command("echo agent > 1/1; rm 2/2; echo new > new")
      await world.write("3/3", "agent\n")
      expect((await world.revert(0)).files).toHaveLength(4)
      expect(world.bench.shell("git status --porcelain")).toBe("")
      world.prompt()
      const { uncovered, files } = await world.command("git checkout -q other")
      expect([files, uncovered]).toEqual([
        0,
        [expect.stringMatching(/^the 100000 files that changed with HEAD \(git checkout [0-9a-f]{12}\)$/)],
      ])
      const report = await world.revert(0)
      expect([report.files, report.notes.length]).toEqual([[], 2])
      expect(world.bench.shell("git status --porcelain")).toBe("")
    },
    300_000,
  )
})
