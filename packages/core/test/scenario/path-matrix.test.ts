import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { systemClock } from "@cairn/kernel/clock"
import { KeyedLock } from "@cairn/kernel/lock"
import { silentLog } from "@cairn/kernel/log"
import { err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import { planFacts } from "../../src/permission/command.ts"
import { createReadLine } from "../../src/permission/read-line.ts"
import { childEnvironment } from "../../src/process/environment.ts"
import { ripgrepPath } from "../../src/process/ripgrep.ts"
import { createSupervisor } from "../../src/process/supervisor.ts"
import { attachFiles } from "../../src/session/attach.ts"
import { createApplyPatchTool } from "../../src/tool/apply-patch/apply-patch.ts"
import type { Ask, Tool, ToolContext } from "../../src/tool/define.ts"
import { createEditTool } from "../../src/tool/edit/edit.ts"
import { createGlobTool } from "../../src/tool/glob/glob.ts"
import { createGrepTool } from "../../src/tool/grep/grep.ts"
import { createListTool } from "../../src/tool/list/list.ts"
import { createOutput } from "../../src/tool/output.ts"
import { createReadTool } from "../../src/tool/read/read.ts"
import { createWriteTool } from "../../src/tool/write/write.ts"
import { createWriteOperations } from "../../src/workspace/atomic-write.ts"
import { createBlobStore } from "../../src/workspace/history/blob-store.ts"
import { createJournal } from "../../src/workspace/history/journal.ts"
import { createSearch } from "../../src/workspace/search.ts"
import { createSeen } from "../../src/workspace/seen.ts"

/*
 * Every way by which a path can lead somewhere else, on the real file system, by everything that takes a path.
 *
 *     R ─ w          the worktree: src/a.txt .env .git/hooks .github/workflows/ci.yml, and the links
 *       ├ w-evil     its name begins as the worktree's does
 *       ├ away       what nobody may reach: secret.txt, deep/
 *       └ home       .bashrc
 */
const secret = "SECRET-4711"
const root = await realpath(await mkdtemp(join(tmpdir(), "cairn-matrix-")))
const group = new TaskGroup()
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const search = createSearch({ supervisor, ripgrep: () => ripgrepPath(supervisor.env) })
const readLine = createReadLine()
let count = 0
let R = ""
beforeEach(async () => {
  R = join(root, `${(count += 1)}`)
  await build(R)
})
afterAll(async () => {
  await group[Symbol.asyncDispose]()
  await supervisor[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
}, 60_000)

async function build(at: string): Promise<void> {
  for (const directory of ["w/src", "w/.git/hooks", "w/.github/workflows", "w/sub", "w-evil", "away/deep", "home"])
    await mkdir(join(at, directory), { recursive: true })
  const files: Record<string, string> = {
    "w/src/a.txt": "inside\n",
    "w/sub/b.txt": "inside\n",
    "w/.env": "KEY=1\n",
    "w/.github/workflows/ci.yml": "on: push\n",
    "w-evil/x.txt": `${secret}\n`,
    "away/secret.txt": `${secret}\n`,
    "away/deep/d.txt": `${secret}\n`,
    "home/.bashrc": `# ${secret}\n`,
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(at, path), text)
  const links: Record<string, string> = {
    "file-in": "src/a.txt",
    "file-out": "../away/secret.txt",
    "file-out-absolute": join(at, "away/secret.txt"),
    "dir-in": "src",
    "dir-out": "../away",
    "deep-out": "../away/deep",
    "dangling-in": "src/new.txt",
    "dangling-out": "../away/new.txt",
    "dangling-dir": "../away/none",
    loop: "loop2",
    loop2: "loop",
    self: "self",
    chain: "file-out",
    "chain-dir": "sub/up/away",
    "sub/up": "../..",
    env: ".env",
    hooks: ".git/hooks",
    ci: ".github/workflows/ci.yml",
    evil: "../w-evil",
    "src/link\nline": "../../away/secret.txt",
    é: "../away/secret.txt",
  }
  for (const [path, target] of Object.entries(links)) await symlink(target, join(at, "w", path))
  await link(join(at, "w/src/a.txt"), join(at, "w/hard-in"))
  await link(join(at, "home/.bashrc"), join(at, "w/hard-bashrc"))
}

/** Everything outside the worktree, as a text. */
async function outside(): Promise<string> {
  const hash = createHash("sha256")
  for (const top of ["w-evil", "away", "home"]) {
    for (const name of (await readdir(join(R, top), { recursive: true })).toSorted()) {
      const path = join(R, top, name)
      const info = await lstat(path)
      hash.update(`${top}/${name} ${info.mode} ${info.isFile() ? await readFile(path, "utf8") : ""}\n`)
    }
  }
  return hash.digest("hex")
}

interface Ran {
  readonly asks: readonly Ask[]
  readonly ok: boolean
  readonly text: string
}

const refused: ToolFailure = { kind: "denied", message: "no" }

/** Runs a tool of a worktree at `R/w`. `answer`: what is said to each ask. */
async function run(
  name: keyof ReturnType<typeof tools>,
  args: Record<string, unknown>,
  answer: (ask: Ask) => Promise<boolean> | boolean,
): Promise<Ran> {
  const asks: Ask[] = []
  const context: ToolContext = {
    ...{ sessionID: "ses_1", messageID: "msg_1", callID: "call_1", agent: "build", signal: group.signal },
    ...{ directory: join(R, "w"), worktree: join(R, "w"), progress: () => {} },
    async ask(ask) {
      asks.push(ask)
      return (await answer(ask)) ? ok({}) : err(refused)
    },
  }
  const tool: Tool = tools()[name]
  const done = await tool.execute(tool.parameters.parse(args), context)
  return { asks, ok: done.ok, text: done.ok ? done.value.output : done.error.message }
}

function tools() {
  const home = join(R, "home")
  const places = { home: [home], config: [`${home}/.config`], data: [`${home}/.data`], state: [`${home}/.state`] }
  const journal = createJournal({
    blobs: createBlobStore(join(R, "blob"), systemClock),
    changeID: () => `chg_${(count += 1)}`,
    append: () => {},
  })
  const deps = { seen: createSeen(), locks: new KeyedLock(), operations: createWriteOperations(), places, journal }
  const output = createOutput({ directory: join(R, "spill"), clock: systemClock, log: silentLog, limits: {} })
  return {
    read: createReadTool(deps),
    write: createWriteTool(deps),
    edit: createEditTool(deps),
    apply_patch: createApplyPatchTool(deps),
    glob: createGlobTool({ search, output }),
    grep: createGrepTool({ search, output, readable: () => () => true }),
    list: createListTool({ search, output }),
  }
}

type End = "in" | "out" | "protected" | "nowhere"
interface Row {
  readonly path: string
  readonly end: End
  /** Below `R`, or absolute. */
  readonly real?: string
  readonly holds?: "file" | "directory"
}

/** What a text leads to. `R` at the beginning is the directory above the worktree. */
const rows: readonly Row[] = [
  { path: "src/a.txt", end: "in", real: "w/src/a.txt", holds: "file" },
  { path: "./src//../src/./a.txt", end: "in", real: "w/src/a.txt", holds: "file" },
  { path: "R/w/src/a.txt", end: "in", real: "w/src/a.txt", holds: "file" },
  { path: "new/deep/file", end: "in", real: "w/new/deep/file" },
  { path: "file-in", end: "in", real: "w/src/a.txt", holds: "file" },
  { path: "dir-in/a.txt", end: "in", real: "w/src/a.txt", holds: "file" },
  { path: "dir-in", end: "in", real: "w/src", holds: "directory" },
  { path: "dir-in/../sub/b.txt", end: "in", real: "w/sub/b.txt", holds: "file" },
  { path: "sub/up/w/src/a.txt", end: "in", real: "w/src/a.txt", holds: "file" },
  { path: "dangling-in", end: "in", real: "w/src/new.txt" },
  { path: "hard-in", end: "in", real: "w/hard-in", holds: "file" },
  { path: "/proc/self/rootR/w/src/a.txt", end: "in", real: "w/src/a.txt", holds: "file" },
  // The one name is a link that leads out, the other is no file at all: they are two on this file system.
  { path: "e\u0301", end: "in", real: "w/e\u0301" },
  { path: "SRC/A.TXT", end: "in", real: "w/SRC/A.TXT" },
  { path: "..w", end: "in", real: "w/..w" },

  { path: "file-out", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "file-out-absolute", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "dir-out/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "dir-out", end: "out", real: "away", holds: "directory" },
  { path: "dir-out/new/deep", end: "out", real: "away/new/deep" },
  { path: "deep-out/../secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "dangling-out", end: "out", real: "away/new.txt" },
  { path: "dangling-dir/x", end: "out", real: "away/none/x" },
  { path: "chain", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "chain-dir/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "sub/up/away/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "src/link\nline", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "é", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "..", end: "out", real: "", holds: "directory" },
  { path: "../away/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "src/../../away/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "R/away/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "/proc/self/rootR/away/secret.txt", end: "out", real: "away/secret.txt", holds: "file" },
  { path: "R/w-evil/x.txt", end: "out", real: "w-evil/x.txt", holds: "file" },
  { path: "../w-evil/x.txt", end: "out", real: "w-evil/x.txt", holds: "file" },
  { path: "evil/x.txt", end: "out", real: "w-evil/x.txt", holds: "file" },
  { path: "R/w/../w-evil/x.txt", end: "out", real: "w-evil/x.txt", holds: "file" },
  { path: "R/W/src/a.txt", end: "out", real: "W/src/a.txt" },
  { path: "/etc/passwd", end: "out", real: "/etc/passwd", holds: "file" },

  { path: "hooks/pre-commit", end: "protected", real: "w/.git/hooks/pre-commit" },
  { path: ".git/hooks/pre-commit", end: "protected", real: "w/.git/hooks/pre-commit" },
  { path: "ci", end: "protected", real: "w/.github/workflows/ci.yml", holds: "file" },
  { path: "dir-in/../.github/workflows/new.yml", end: "protected", real: "w/.github/workflows/new.yml" },
  { path: ".GITHUB/workflows/x.yml", end: "protected", real: "w/.GITHUB/workflows/x.yml" },
  { path: ".git\u200b/hooks/x", end: "protected", real: "w/.git\u200b/hooks/x" },
  { path: "sub/.Git/CONFIG", end: "protected", real: "w/sub/.Git/CONFIG" },
  { path: "hard-bashrc", end: "protected", real: "w/hard-bashrc", holds: "file" },

  { path: "loop", end: "nowhere" },
  { path: "loop/x", end: "nowhere" },
  { path: "self", end: "nowhere" },
  { path: "/proc/self/environ", end: "nowhere" },
  { path: "/proc/thread-self/environ", end: "nowhere" },
]
const named = rows.map((row) => [row.path, row] as const)
const of = (...ends: End[]) => named.filter(([, { end }]) => ends.includes(end))
const at = (path: string) => path.replace(/^(\/proc\/self\/root)?R\//, `$1${R}/`)
const realOf = ({ real = "" }: Row) => (real.startsWith("/") ? real : join(R, real))

/** All tools on one path. What is new there is written, what is there is changed. */
const calls: readonly (readonly [string, keyof ReturnType<typeof tools>, (path: string) => Record<string, unknown>])[] =
  [
    ["read", "read", (filePath) => ({ filePath })],
    ["write", "write", (filePath) => ({ filePath, content: "x\n" })],
    ["edit", "edit", (filePath) => ({ filePath, oldString: "e", newString: "E" })],
    [
      "apply_patch, add",
      "apply_patch",
      (path) => ({ patchText: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` }),
    ],
    [
      "apply_patch, delete",
      "apply_patch",
      (path) => ({ patchText: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }),
    ],
    [
      "apply_patch, move",
      "apply_patch",
      (path) => ({ patchText: `*** Begin Patch\n*** Update File: src/a.txt\n*** Move to: ${path}\n*** End Patch` }),
    ],
    ["glob, path", "glob", (path) => ({ path, pattern: "**" })],
    ["glob, pattern", "glob", (path) => ({ pattern: `${path.replaceAll("\n", "\n")}/*` })],
    ["grep", "grep", (path) => ({ path, pattern: "e" })],
    ["list", "list", (path) => ({ path })],
  ]

describe.each(calls)("%s", (_name, tool, args) => {
  const patch = tool === "apply_patch"

  test.each(of("out"))("%j is outside: asked for before anything is looked at", async (path, row) => {
    const before = await outside()
    const ran = await run(tool, args(at(path)), (ask) => ask.permission !== "external_directory")
    expect(ran.ok).toBe(false)
    expect(ran.text).not.toContain(secret)
    expect(await outside()).toBe(before)
    const real = realOf(row)
    // A patch goes nowhere but below the worktree.
    if (patch) return expect(ran.asks).toEqual([])
    const [ask, ...more] = ran.asks
    expect(more).toEqual([])
    expect(ask!.permission).toBe("external_directory")
    expect([`${join(real, "..")}/*`, `${real}/*`]).toContain(ask!.patterns[0]!)
  })

  test.each(of("in", "protected"))("%j is inside, under its real name", async (path, row) => {
    const ran = await run(tool, args(at(path)), () => true)
    expect(ran.asks.map((ask) => ask.permission)).not.toContain("external_directory")
    for (const ask of ran.asks) {
      if (ask.permission === "read") expect(ask.patterns).toEqual([realOf(row)])
      if (ask.permission === "edit") expect(ask.patterns).toContain(realOf(row))
    }
  })

  test.each(of("protected"))(
    "%j is protected: changed only after an ask that nothing answers for good",
    async (path, row) => {
      const before = await outside()
      const ran = await run(tool, args(at(path)), (ask) => !ask.mustAsk)
      for (const ask of ran.asks.filter(({ permission }) => permission === "edit"))
        expect([ask.mustAsk?.protected, ask.always]).toEqual([true, []])
      expect(await outside()).toBe(before)
      if (row.holds === undefined && tool !== "read")
        expect(await lstat(realOf(row)).catch(() => undefined)).toBeUndefined()
    },
  )

  test.each(of("nowhere"))("%j leads nowhere: refused, and nobody is asked", async (path) => {
    const ran = await run(tool, args(at(path)), () => true)
    expect([ran.ok, ran.asks]).toEqual([false, []])
  })
})

test.each([
  ["glob", { pattern: "**" }],
  ["glob", { pattern: "*/*" }],
  ["glob", { pattern: "**/secret.txt" }],
  ["grep", { pattern: secret }],
  ["grep", { pattern: ".", include: "*.txt" }],
  ["list", {}],
] as const)("%s goes through no link by itself: %j", async (tool, args) => {
  const ran = await run(tool, args, () => true)
  expect(ran.ok).toBe(true)
  expect(ran.text).not.toMatch(/secret\.txt|d\.txt|x\.txt/)
  // The one that is left is a hard link: nothing tells it from a file of the worktree.
  expect(ran.text.replaceAll(/hard-bashrc:\n.*/g, "")).not.toContain(secret)
})

describe("what is put there between the check and the use is not used", () => {
  const away = () => join(R, "away")
  const swaps: Record<string, (path: string) => Promise<void>> = {
    "the file becomes a link out": async (path) => {
      await rm(path, { force: true })
      await symlink(join(away(), "secret.txt"), path)
    },
    "the file becomes a link to nothing out there": async (path) => {
      await rm(path, { force: true })
      await symlink(join(away(), "new.txt"), path)
    },
    "its directory becomes a link out": async (path) => {
      await rename(join(path, ".."), join(R, "moved"))
      await symlink(away(), join(path, ".."))
    },
  }
  const uses: readonly (readonly [keyof ReturnType<typeof tools>, string, Record<string, unknown>])[] = [
    ["read", "src/a.txt", { filePath: "src/a.txt" }],
    ["read", "src/secret.txt", { filePath: "src/secret.txt" }],
    ["read", "src/x", { filePath: "src" }],
    ["write", "src/new.txt", { filePath: "src/new.txt", content: "x" }],
    ["write", "src/secret.txt", { filePath: "src/secret.txt", content: "x" }],
    ["write", "src/made", { filePath: "src/made/new.txt", content: "x" }],
    ["edit", "src/a.txt", { filePath: "src/a.txt", oldString: "inside", newString: "x" }],
    ["apply_patch", "src/new.txt", { patchText: "*** Begin Patch\n*** Add File: src/new.txt\n+x\n*** End Patch" }],
    ["apply_patch", "src/a.txt", { patchText: "*** Begin Patch\n*** Delete File: src/a.txt\n*** End Patch" }],
    [
      "apply_patch",
      "src/new.txt",
      { patchText: "*** Begin Patch\n*** Update File: sub/b.txt\n*** Move to: src/new.txt\n*** End Patch" },
    ],
    ["glob", "src/x", { path: "src", pattern: "**" }],
    ["grep", "src/x", { path: "src", pattern: "." }],
    ["grep", "src/a.txt", { path: "src/a.txt", pattern: "." }],
    ["list", "src/x", { path: "src" }],
  ]
  const cases = Object.keys(swaps).flatMap((swap) =>
    uses.map(([tool, path, args]) => [tool, args, swap, path] as const),
  )
  test.each(cases)("%s %j: %s", async (tool, args, swap, path) => {
    const before = await outside()
    let swapped = false
    const ran = await run(tool, args, async () => {
      if (!swapped) await swaps[swap]!(join(R, "w", path))
      return (swapped = true)
    })
    expect(swapped).toBe(true)
    expect(await outside()).toBe(before)
    expect(ran.text).not.toContain(secret)
    // The text of a link may be shown, a name behind it not.
    if (tool === "glob" || tool === "list" || path === "src/x")
      expect(ran.text).not.toMatch(/^(?:\S*\/)?secret\.txt(?: |$)/m)
  })
})

test.each(named)("a prompt's file: %j", async (path, row) => {
  const url =
    pathToFileURL("/").href +
    encodeURI(join(path.startsWith("/") || path.startsWith("R") ? at(path) : join(R, "w", path))).slice(1)
  const taken = await attachFiles([{ type: "file", mime: "text/plain", url }])
  // The text of a URL has no `..` left when it comes to links.
  if (path.includes("..")) return
  if (row.holds !== "file") return expect(taken).toMatchObject({ ok: false, error: { kind: "file" } })
  const content = Buffer.from(await readFile(realOf(row))).toString("base64")
  expect(taken).toMatchObject({
    ok: true,
    value: [{ filename: basename(at(path)), url: `data:text/plain;base64,${content}` }],
  })
})

describe("a command line", () => {
  const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`
  const planned = async (line: string) => {
    const context = { cwd: join(R, "w"), worktree: join(R, "w"), home: join(R, "home") }
    return planFacts(await readLine("bash", line, context, group.signal), line, context)
  }
  const reads: readonly ((path: string) => string)[] = [
    (path) => `cat ${path}`,
    (path) => `cat < ${path}`,
    (path) => `cd src && cat ../${path}`,
    (path) => `sh -c "cat $1" _ ${path}`.replace("$1", path.replaceAll("'", '\\"')),
    (path) => `head -5 -- ${path} | sort`,
    (path) => `grep x ${path}`,
  ]
  const changes: readonly ((path: string) => string)[] = [
    (path) => `echo x > ${path}`,
    (path) => `echo x >> ${path}`,
    (path) => `cp src/a.txt ${path}`,
    (path) => `mv src/a.txt ${path}`,
    (path) => `tee ${path} < src/a.txt`,
    (path) => `rm -rf ${path}`,
    (path) => `touch ${path}`,
    (path) => `ln -s src ${path}`,
    (path) => `dd if=src/a.txt of=${path}`,
    (path) => `sed -i s/a/b/ ${path}`,
    (path) => `curl -o ${path} https://example.com`,
    (path) => `timeout 5 install src/a.txt ${path}`,
  ]
  const plain = (path: string) => !/['\n]/.test(path)

  test.each(of("out").filter(([path]) => plain(path)))("%j is outside", async (path, row) => {
    const all = [...reads.slice(0, 2), ...reads.slice(4), ...changes]
    for (const make of all) {
      const line = make(quoted(at(path)))
      const plan = await planned(line)
      const external = plan.asks.find((ask) => ask.permission === "external_directory")
      expect([line, plan.outside.includes(realOf(row)) || plan.asks[0]!.opaque !== undefined]).toEqual([line, true])
      expect([line, external !== undefined]).toEqual([line, true])
    }
  })

  test.each(of("in").filter(([path]) => plain(path)))("%j is inside, under its real name", async (path, row) => {
    for (const make of reads.slice(0, 2)) {
      const line = make(quoted(at(path)))
      const { asks } = await planned(line)
      expect([line, asks.map((ask) => ask.permission)]).toEqual([line, ["bash", "read"]])
      expect(asks[1]!.patterns).toContain(realOf(row))
    }
    for (const make of changes.slice(0, 2)) {
      const line = make(quoted(at(path)))
      expect([line, (await planned(line)).asks.find((ask) => ask.permission === "edit")?.patterns]).toEqual([
        line,
        [realOf(row)],
      ])
    }
  })

  test.each(of("protected"))("%j is protected", async (path) => {
    for (const make of changes) {
      const line = make(quoted(at(path)))
      expect([line, (await planned(line)).asks.some((ask) => ask.mustAsk?.protected)]).toEqual([line, true])
    }
  })

  test.each([
    ...["loop", "loop/x", "self", "/proc/self/cwd/src/a.txt", "/proc/self/fd/3", "/dev/fd/7", "/proc/self/exe"],
    ...["/proc/self/task/1/cwd/x", "dir-in/../loop/x"],
  ])("%j leads nobody knows where: it asks", async (path) => {
    for (const make of [...reads.slice(0, 2), ...changes]) {
      const line = make(quoted(path))
      expect([line, (await planned(line)).asks[0]!.mustAsk !== undefined]).toEqual([line, true])
    }
  })

  test("a link that the line makes is followed as those on the disk are", async () => {
    for (const line of [
      "ln -s ../away x && cat x/secret.txt",
      "ln -s ../away x; echo 1 > x/new",
      "cd src && ln -s ../../away y && rm y/secret.txt",
      "ln -s .git/hooks h && touch h/pre-commit",
      "mkdir d && ln -s ../../away d/z && cp src/a.txt d/z/a",
      "cp -r dir-out copy && cat copy/secret.txt",
    ]) {
      const { asks } = await planned(line)
      const guarded = asks.some((ask) => ask.permission === "external_directory" || ask.mustAsk?.protected)
      expect([line, guarded]).toEqual([line, true])
    }
  })
})
