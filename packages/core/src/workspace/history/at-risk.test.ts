import { describe, expect, test } from "bun:test"
import { mkdir, truncate } from "node:fs/promises"
import { join } from "node:path"
import { TaskGroup } from "@cairn/kernel/task"
import { commandBench } from "../../../test/history/command-bench.ts"

/** More than is kept of a file that no command threatens. */
const large = (path: string, text: string) => `{ echo ${text}; head -c 11000000 /dev/zero; } > ${path}`
const commit = "git init -q -b main .; git add -A; git commit -qm first"
const committed = `printf 'a\\n' > a; mkdir src; printf 's\\n' > src/s; ${large("big", "big")}; echo '*.log' > .gitignore; ${commit}`
const other = "git checkout -qb other; echo o > a; echo o > made; git add -A; git commit -qm o; git checkout -q main"
const dirty = `echo mine > a; ${large("big", "mine")}; ${large("new", "new")}; echo new > src/new; ${large("x.log", "log")}; mkdir fresh; echo f > fresh/f`
const setup = `${committed}; ${other}; ${dirty}`

describe("what destroys is taken back, whatever the size of the files", () => {
  const cases: readonly [command: string, lost: string | undefined][] = [
    ["git clean -fdx", "4 files: fresh/f, new, src/new and 1 more"],
    ["git clean -fd", "3 files: fresh/f, new, src/new"],
    ["git clean -f", "2 files: new, src/new"],
    ["git clean -fdX", "1 file: x.log"],
    ["git clean -fd -e other src", "1 file: src/new"],
    ["git clean -f -e pattern", "2 files: new, src/new"],
    ["cd src && git clean -f", "1 file: src/new"],
    ["git -C src clean -f", "1 file: src/new"],
    ["git reset --hard", "2 files: a, big"],
    ["git reset -q --hard other", "2 files: a, big"],
    ["git checkout -- .", "2 files: a, big"],
    ["git checkout .", "2 files: a, big"],
    ["git checkout -- a", "1 file: a"],
    ["git checkout -q HEAD -- big", "1 file: big"],
    ["git checkout -q -f other", "2 files: a, big"],
    ["git switch -q -f other", "2 files: a, big"],
    ["git switch -q --discard-changes other", "2 files: a, big"],
    ["git restore a big", "2 files: a, big"],
    ["git restore -s other -- a", "1 file: a"],
    ["git restore --source=HEAD --staged --worktree :/", "2 files: a, big"],
    ["git rm -qrf .", "2 files: a, big"],
    ["git stash -q -u", undefined],
    ["git stash -q", undefined],
    ["git rebase -q --autostash other", undefined],
    ["rm -f big new x.log a", "4 files: a, big, new and 1 more"],
    ["rm -rf fresh src", "2 files: fresh/f, src/new"],
    ["rm -f *.log", "1 file: x.log"],
    ["truncate -s 0 big new", "2 files: big, new"],
    ["dd if=/dev/null of=new", "1 file: new"],
    ["shred -u new", "1 file: new"],
    ["mv a new", "2 files, or some of them: a, new"],
    ["find . -name '*.log' -delete", "6 files, or some of them: a, big, fresh/f and 3 more"],
    ["ls | xargs rm -rf", "6 files, or some of them: a, big, fresh/f and 3 more"],
  ]
  // Each takes what it takes to write files of this size.
  const some = process.env["CAIRN_TEST_LONG"] ? cases : cases.filter((_, at) => at % 2 === 0)
  test.each(some)("%s", async (command, lost) => {
    await using bench = await commandBench(setup)
    const start = await bench.tree()
    const losses = Object.values(await bench.losses(command))
    if (lost !== undefined) expect(losses).toEqual([lost])
    expect(await bench.tree()).toEqual(start)
    const before = bench.shell("git status --porcelain")
    await bench.run(command)
    expect([bench.shell("git status --porcelain"), await bench.tree()]).not.toEqual([before, start])
    const plans = await bench.revert()
    const open = plans.filter(({ action }) => action === "conflict" || action === "not_covered")
    expect(open.map(({ path }) => path)).toEqual([])
    expect(await bench.tree()).toEqual(start)
  })

  test("files that git does not know and a forced checkout writes over", async () => {
    await using bench = await commandBench(`${setup}; ${large("made", "mine")}`)
    const start = await bench.tree()
    expect(await bench.losses("git reset --hard other")).toEqual({
      "git reset --hard other": "3 files: a, big, made",
    })
    await bench.run("git reset -q --hard other")
    expect((await bench.tree())["made"]).toBe("o\n")
    await bench.revert()
    expect(await bench.tree()).toEqual(start)
  })

  test("without git", async () => {
    await using bench = await commandBench(`mkdir src; ${large("src/a", "a")}; ${large("b", "b")}`)
    const start = await bench.tree()
    expect(await bench.losses("rm -rf src b")).toEqual({ "rm -rf src b": "2 files: b, src/a" })
    await bench.run("rm -rf src b")
    await bench.revert()
    expect(await bench.tree()).toEqual(start)
  })

  test("a linked worktree outside of the project", async () => {
    await using bench = await commandBench(`${committed}; git worktree add -q ../linked -b linked`)
    bench.shell(`cd ../linked; echo mine > a; ${large("new", "new")}; echo l > x.log`)
    const at = (name: string) => join(bench.root, "linked", name)
    const [lost] = Object.values(await bench.losses("git worktree remove --force ../linked"))
    expect(lost).toBe(`3 files: ${at("a")}, ${at("new")}, ${at("x.log")}`)
    await bench.run("git worktree remove --force ../linked")
    expect(bench.shell("ls ..")).not.toContain("linked")
    await bench.revert()
    expect(bench.shell("cd ../linked; cat a x.log; head -n 1 new; ls -A")).toBe("mine\nl\nnew\na\nnew\nx.log\n")
  })
})

describe("what cannot be kept is said before", () => {
  test("builds and dependencies, repositories inside, names that are no text, what is over the quota", async () => {
    const nested = "mkdir nested; git init -q nested; echo n > nested/n; mkdir node_modules; echo m > node_modules/m"
    await using bench = await commandBench(
      `${committed}; echo node_modules >> .git/info/exclude; ${nested}; printf x > "$(printf 'odd-\\377')"`,
    )
    await bench.write("sparse", "")
    await truncate(join(bench.directory, "sparse"), 3 * 1024 ** 3)
    const [lost = ""] = Object.values(await bench.losses("git clean -ffdx"))
    expect(lost).toStartWith("1 file: nested/n; not kept for undo: ")
    expect(lost).toContain("(its commits), node_modules, ")
    expect(lost).toEndWith(", …")
    const notes = await bench.run("git clean -qffdx")
    expect(notes.uncovered.join("\n")).toContain("sparse (3.0 GB)")
    expect(notes.uncovered.join("\n")).toContain("names that are no valid UTF-8")
    const plans = await bench.revert()
    expect(plans.map(({ path, action }) => `${action} ${path.slice(bench.directory.length + 1)}`).toSorted()).toEqual([
      "not_covered sparse",
      "restore nested/n",
    ])
  })

  test("branches and stashes, with the words that bring them back", async () => {
    await using bench = await commandBench(`${committed}; git branch gone; echo x > a; git stash -q`)
    const line = "git branch -D gone; git stash drop; git tag -d none"
    const commits = bench.shell("git rev-parse gone stash").trim().split("\n")
    const [branch = "", stash = ""] = commits.map((commit) => commit.slice(0, 12))
    expect(await bench.losses(line)).toEqual({
      "git branch -D gone": `gone is ${branch} (git branch gone ${branch})`,
      "git stash drop": `stash@{0} is ${stash} (git stash apply ${stash})`,
    })
    const { refs } = await bench.run(line)
    expect(refs).toEqual([
      `gone was ${branch} (git branch gone ${branch})`,
      `stash@{0} was ${stash} (git stash apply ${stash})`,
    ])
    bench.shell(`git branch gone ${branch}; git stash apply -q ${stash}`)
    expect(bench.shell("cat a; git branch --list gone").trim()).toBe("x\n  gone")
  })

  test("nothing, where nothing is", async () => {
    await using bench = await commandBench(committed)
    for (const command of ["git reset --hard", "git clean -fdx", "rm -rf missing", "git branch -D none", "git status"])
      expect([command, await bench.losses(command)]).toEqual([command, {}])
    await using outside = await commandBench("echo a > a")
    expect(await outside.losses("git clean -fdx; git branch -D main")).toEqual({})
  })
})

test("a look at what would be lost writes nothing, and ends with its signal", async () => {
  await using bench = await commandBench(setup)
  await mkdir(join(bench.root, "hooks"), { recursive: true })
  const hashes = "find .git -type f | sort | xargs sha1sum; find .git -printf '%p %T@\\n' | sort"
  const before = bench.shell(hashes)
  await bench.losses("git clean -fdx; git reset --hard other; rm -rf src; git stash drop")
  expect(bench.shell(hashes)).toBe(before)
  const group = new TaskGroup()
  group.cancel(new Error("enough"))
  const threats = [
    { kind: "paths", command: "rm a", cwd: bench.directory, paths: [join(bench.directory, "a")] },
  ] as const
  await expect(bench.commands.losses(threats, group.signal)).rejects.toThrow("enough")
})
