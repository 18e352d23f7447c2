import { expect, test } from "bun:test"
import { chmod, lstat, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type Random, seeded } from "@cairn/testkit/random"
import type { RevertReport } from "@cairn/schema/revert"
import { type SessionWorld, sessionWorld, type Tree, userRemoves, userWrites } from "./session-world.ts"

// A run that failed names its seed: CAIRN_TEST_SEED=… CAIRN_TEST_RUNS=1 does it again.
const runs = Number(process.env["CAIRN_TEST_RUNS"] ?? (process.env["CAIRN_TEST_LONG"] ? 2_000 : 25))
const firstSeed = Number(process.env["CAIRN_TEST_SEED"] ?? 1)

const names = ["a", "b", "src/c", "src/deep/d", "a file", "ig.log", "new", "src/new"]
const lines = (by: string, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `${by}${from + n}\n`).join("")
const files = names
  .slice(0, 6)
  .map((name, n) => `printf '${lines(`start-${n}-`, 0, 24).replaceAll("\n", "\\n")}' > '${name}'`)
  .join("; ")
const edited = `printf '${lines("other-", 0, 30).replaceAll("\n", "\\n")}' > b; sed -i s/start-0-3$/other-x/ a; git rm -q src/c; echo other-n > new; git add -A`
const settings = "git config user.name t; git config user.email t@t; git config merge.conflictStyle merge"
const commit = `git init -q -b main .; ${settings}; git add -A; git commit -qm first`
const other = `git checkout -qb other; ${edited}; git commit -qm other; git checkout -q main`

const places: Record<string, string> = {
  git: `mkdir -p src/deep; ${files}; echo '*.log' > .gitignore; ${commit}; ${other}`,
  "git with changes": `mkdir -p src/deep; ${files}; echo '*.log' > .gitignore; ${commit}; ${other}; echo start-staged >> a; git add a; echo start-dirty >> 'a file'; echo start-new > src/new`,
  "no git": `mkdir -p src/deep; ${files}`,
}

/** What the agent may run. `NAME` is a file; what fails, fails. */
const commands = [
  "git stash -q",
  "git stash -qu",
  "git stash pop -q",
  "git checkout -q other",
  "git checkout -q main",
  "git checkout -qf other",
  "git checkout -q HEAD~1",
  "git commit -qam agent",
  "git add -A; git commit -qm agent",
  "git reset -q --hard",
  "git reset -q --hard HEAD~1",
  "git reset -q HEAD",
  "git clean -qfd",
  "git clean -qfdx",
  "git checkout -- NAME",
  "git restore --source=other -- NAME",
  "git rm -qf NAME",
  "git mv -f NAME moved",
  "git merge -q -X theirs other",
  "git rebase -q other || git rebase --abort",
  "git cherry-pick other || git cherry-pick --abort",
  "git worktree add -q ../elsewhere; git worktree remove -f ../elsewhere",
  "git add NAME",
  "rm -f NAME",
  "mv NAME moved",
  "mkdir -p made; mv NAME made/",
  "mv src source; mkdir src",
  "chmod +x NAME",
  "sed -i '3d;5s/$/ agent/' NAME",
  "cp NAME 'a copy'",
  "rm -f NAME; ln -s b NAME",
  "rm -f NAME; mkdir -p NAME; echo agent > NAME/inside",
  "rm -rf src",
  "printf 'agent\\r\\nagent' > NAME",
  "printf 'agent\\0\\1' > NAME",
  "touch NAME; cat NAME",
]

/** What the user did to a path since some moment. */
interface Touched {
  readonly inserted: Set<string>
  readonly removed: Set<string>
  mode: boolean
  /** It held a line twice then: which of them went nobody can tell. */
  vague: boolean
}

const outcomes = new Map<string, number>()
const count = (name: string) => void outcomes.set(name, (outcomes.get(name) ?? 0) + 1)

/** Drives one session at random, and knows what has to come out of each revert. */
class Run {
  /** What stood at the beginning of each turn, and what the user did since. */
  readonly #points: { tree: Tree; touched: Map<string, Touched> }[] = []
  /** The same for the moment before the first revert. */
  #before: { tree: Tree; touched: Map<string, Touched> } | undefined
  /** Paths that a revert has left alone: of them nothing can be foretold any more. */
  readonly #left = new Set<string>()
  readonly #lines = new Map<string, Set<string>>()
  #line = 0
  readonly log: string[] = []

  constructor(
    readonly world: SessionWorld,
    readonly random: Random,
  ) {}

  async step(): Promise<void> {
    const { random } = this
    const what = random.below(20)
    if (what < 5) return await this.#user()
    if (what < 11) return await this.#agent(() => this.#command())
    if (what < 15) return await this.#agent(() => this.#write())
    if (what < 16) return await this.#begin()
    if (what < 19) return await this.#revert()
    return await this.#unrevert()
  }

  /** Takes everything back, and brings it again. */
  async end(): Promise<void> {
    if (this.#points.length > 0) await this.#revert(0)
    await this.#unrevert()
    expect(this.world.problems()).toEqual([])
  }

  async #begin(): Promise<void> {
    const tree = await this.world.tree()
    this.#before = undefined
    const turn = this.world.prompt()
    this.#points.splice(turn, Number.POSITIVE_INFINITY, { tree, touched: new Map() })
    this.log.push("turn")
  }

  async #agent(act: () => Promise<void>): Promise<void> {
    if (this.#points.length === 0 || this.#before || this.random.below(4) === 0) await this.#begin()
    await act()
  }

  async #command(): Promise<void> {
    const name = `'${this.#name()}'`
    const command = this.random.pick(commands).replaceAll("NAME", name)
    this.log.push(`agent: ${command}`)
    const git = this.random.below(8) === 0 && !command.includes("git")
    const before = git ? await this.world.git() : ""
    await this.world.command(command)
    if (git) expect(await this.world.git()).toBe(before)
  }

  async #write(): Promise<void> {
    const name = this.#name()
    const old = await this.#textOf(name)
    if (old === "elsewhere") return
    const text = old !== undefined && this.random.below(8) === 0 ? undefined : this.#changed(old ?? "", "agent-").text
    this.log.push(`agent writes ${name}`)
    await this.world.write(name, text)
  }

  /** A user edits, removes or makes a file, sets its mode, or commits. */
  async #user(): Promise<void> {
    const { random, world } = this
    const { directory } = world.bench
    const name = this.#name()
    const old = await this.#textOf(name)
    if (old === "elsewhere") return
    const what = random.below(12)
    if (what === 0) {
      this.log.push("user commits")
      if (await this.world.git()) world.bench.shell("git commit -qam user || true")
      return
    }
    this.log.push(`user ${what === 1 ? "chmod" : what === 2 ? "rm" : "edits"} ${name}`)
    if (old !== undefined && what === 1) {
      const { mode } = await lstat(join(directory, name))
      await chmod(join(directory, name), (mode & 0o7777) ^ 0o111)
      this.#touch(name, { mode: true })
    } else if (old !== undefined && what === 2) {
      await userRemoves(directory, name)
      this.#touch(name, { removed: linesOf(old), vague: hasTwins(old) })
    } else {
      const { text, removed, inserted } = this.#changed(old ?? "", "user-")
      await userWrites(directory, name, text)
      this.#touch(name, { removed, inserted, vague: hasTwins(old ?? "") })
    }
  }

  #touch(name: string, by: { removed?: string[]; inserted?: string[]; mode?: boolean; vague?: boolean }): void {
    const own = this.#lines.get(name) ?? new Set()
    for (const line of by.inserted ?? []) own.add(line)
    for (const line of by.removed ?? []) own.delete(line)
    this.#lines.set(name, own)
    for (const { touched } of [...this.#points, ...(this.#before ? [this.#before] : [])]) {
      const known = touched.get(name) ?? { inserted: new Set(), removed: new Set(), mode: false, vague: false }
      for (const line of by.inserted ?? []) known.inserted.add(line)
      for (const line of by.removed ?? []) known.removed.add(line)
      known.mode ||= by.mode ?? false
      known.vague ||= by.vague ?? false
      touched.set(name, known)
    }
  }

  /** A text with some lines more or less. Each new line is unlike all others. */
  #changed(text: string, by: string): { text: string; removed: string[]; inserted: string[] } {
    const all = text === "" ? [] : text.split("\n").slice(0, -1)
    const at = this.random.below(all.length + 1)
    const removed = all.splice(at, this.random.below(3))
    const inserted = Array.from({ length: this.random.below(3) }, () => `${by}${(this.#line += 1)}`)
    if (removed.length + inserted.length === 0) inserted.push(`${by}${(this.#line += 1)}`)
    all.splice(at, 0, ...inserted)
    return { text: all.map((line) => `${line}\n`).join(""), removed, inserted }
  }

  /** Mostly one of two, so that the agent and the user meet. */
  #name(): string {
    return this.random.below(3) > 0 ? this.random.pick(names.slice(0, 2)) : this.random.pick(names)
  }

  /** Undefined where there is nothing; `elsewhere` where a text cannot be. */
  async #textOf(name: string): Promise<string | undefined> {
    const { directory } = this.world.bench
    let path = directory
    const steps = name.split("/")
    for (const [n, step] of steps.entries()) {
      path = join(path, step)
      const info = await lstat(path).catch(() => undefined)
      if (!info) return undefined
      if (n < steps.length - 1 ? !info.isDirectory() : !info.isFile()) return "elsewhere"
    }
    const text = await readFile(path, "utf8")
    return /[\0\r]/.test(text) || (text !== "" && !text.endsWith("\n")) ? "elsewhere" : text
  }

  async #revert(to?: number): Promise<void> {
    if (this.#points.length === 0) return
    const turn = to ?? this.random.below(this.#points.length)
    const now = { tree: await this.world.tree(), touched: new Map<string, Touched>() }
    this.log.push(`revert to turn ${turn}`)
    const git = await this.world.git()
    const report = await this.world.revert(turn)
    expect(await this.world.git()).toBe(git)
    await this.#check(report, this.#points[turn]!, now.tree)
    this.#before ??= now
  }

  async #unrevert(): Promise<void> {
    if (!this.#before) return
    const now = await this.world.tree()
    this.log.push("unrevert")
    const git = await this.world.git()
    const report = await this.world.unrevert()
    expect(await this.world.git()).toBe(git)
    await this.#check(report, this.#before, now)
    this.#before = undefined
  }

  async #check(
    { files: told }: RevertReport,
    { tree: wanted, touched }: { readonly tree: Tree; readonly touched: ReadonlyMap<string, Touched> },
    before: Tree,
  ): Promise<void> {
    const after = await this.world.tree()
    const { directory } = this.world.bench
    const reports = new Map(
      told.map(({ path, action, reason }) => [path.slice(directory.length + 1), { action, reason }]),
    )
    for (const name of new Set([...wanted.keys(), ...before.keys(), ...after.keys()])) {
      const report = reports.get(name)
      count(report?.action ?? "unnamed")
      const [is, was, should] = [after.get(name), before.get(name), wanted.get(name)]
      if (report?.action === "conflict" || report?.action === "not_covered") {
        expect([name, report, is]).toEqual([name, report, was])
        // Only what somebody else did can be in the way.
        const others = [...touched.keys(), ...this.#left].some(
          (each) => each === name || each.startsWith(`${name}/`) || name.startsWith(`${each}/`),
        )
        expect([name, report, others]).toEqual([name, report, true])
        this.#left.add(name)
      } else if (!this.#left.has(name)) {
        const own = touched.get(name)
        if (!own) expect([name, report, is]).toEqual([name, report, should])
        else if (!own.vague) expect([name, report, textsIn(is)]).toEqual([name, report, expected(should, own)])
        if (own && !own.mode && is && "mode" in is && should && "mode" in should)
          expect([name, is.mode]).toEqual([name, should.mode])
      }
      // What the agent itself had brought, such as out of a stash, goes with the agent's work.
      const users = [...(touched.get(name)?.inserted ?? []), ...textsIn(should)].filter((line) =>
        this.#lines.get(name)?.has(line),
      )
      const lost = users.filter((line) => textsIn(was).includes(line) && !textsIn(is).includes(line))
      expect([name, lost]).toEqual([name, []])
    }
  }
}

const linesOf = (text: string): string[] => text.split("\n").slice(0, -1)
const hasTwins = (text: string): boolean => new Set(linesOf(text)).size !== linesOf(text).length

const textsIn = (entry: ReturnType<Tree["get"]>): string[] =>
  entry === undefined
    ? []
    : "link" in entry
      ? [`-> ${entry.link}`]
      : entry.text
          .split("\n")
          .filter((line) => line !== "")
          .toSorted()

function expected(should: ReturnType<Tree["get"]>, { inserted, removed }: Touched): string[] {
  return [...new Set([...textsIn(should), ...inserted])].filter((line) => !removed.has(line)).toSorted()
}

test("whatever the agent, its git commands and the user do: the user loses nothing, the agent's goes back", async () => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const random = seeded(seed)
    const setup = random.pick(Object.values(places))
    await using world = await sessionWorld(setup)
    const run = new Run(world, random)
    try {
      for (let steps = 4 + random.below(12); steps > 0; steps--) await run.step()
      await run.end()
    } catch (error) {
      throw new Error(`seed ${seed}: ${run.log.join(" | ")}`, { cause: error })
    }
  }
  // The runs were about something; of a few of them not each has everything.
  const often = runs < 500 ? ["restore", "delete"] : ["restore", "delete", "merge", "conflict"]
  for (const name of often) expect([name, (outcomes.get(name) ?? 0) >= runs / 50]).toEqual([name, true])
}, 3_600_000)
