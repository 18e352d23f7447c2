import { expect, test } from "bun:test"
import { lstat, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type Random, seeded } from "@cairn/testkit/random"
import type { OpenCommand } from "./command-bench.ts"
import { type SessionActor, type SessionWorld, sessionWorld, type Tree, userWrites } from "./session-world.ts"

const runs = Number(process.env["CAIRN_TEST_RUNS"] ?? (process.env["CAIRN_TEST_LONG"] ? 500 : 20))
const firstSeed = Number(process.env["CAIRN_TEST_SEED"] ?? 1)

const names = ["a", "b", "src/c"]
const text = (name: string) => Array.from({ length: 40 }, (_, n) => `${name} start ${n}\\n`).join("")
const setup = `mkdir src; ${names.map((name) => `printf '${text(name)}' > ${name}`).join("; ")}; git init -q -b main .; git add -A; git commit -qm first`

const lines = ({ tree, by }: { tree: Tree; by: string }): Set<string> =>
  new Set(
    [...tree.values()]
      .flatMap((entry) => ("text" in entry ? entry.text.split("\n") : []))
      .filter((line) => line.includes(` ${by} `)),
  )

/** Two sessions and the user, at work on the same files at once. */
class Run {
  readonly #open = new Map<SessionActor, OpenCommand>()
  #line = 0
  readonly log: string[] = []

  constructor(
    readonly world: SessionWorld,
    readonly sessions: readonly SessionActor[],
    readonly random: Random,
  ) {}

  async step(): Promise<void> {
    const { random } = this
    const what = random.below(10)
    const session = random.pick(this.sessions)
    const name = random.pick(names)
    // What somebody does who is no session of ours cannot be told from a command that runs at the time.
    if (what < 2) return this.#open.size === 0 ? await this.#user(name) : undefined
    if (what < 5) return await this.#write(session, name)
    if (what < 9) return await this.#command(session, name)
    if (!this.#open.has(session)) return await this.#revert(session)
  }

  async end(): Promise<void> {
    for (const session of this.sessions) await this.#finish(session)
    for (const session of this.sessions) await this.#revert(session)
    expect(this.world.problems()).toEqual([])
  }

  async #user(name: string): Promise<void> {
    const changed = await this.#with(name, "user")
    if (changed === undefined) return
    this.log.push(`user edits ${name}`)
    await userWrites(this.world.bench.directory, name, changed)
  }

  async #write(session: SessionActor, name: string): Promise<void> {
    const changed = await this.#with(name, session.sessionID)
    if (changed === undefined) return
    this.log.push(`${session.sessionID} writes ${name}`)
    await session.write(name, changed)
  }

  /** Begins a command, lets it do something, or ends it. */
  async #command(session: SessionActor, name: string): Promise<void> {
    const open = this.#open.get(session)
    const what = this.random.below(3)
    if (open && what === 0) return await this.#finish(session)
    const at = 1 + this.random.below(40)
    const line = `${name} ${session.sessionID} ${(this.#line += 1)}`
    const command =
      this.random.below(6) === 0 ? `echo '${line}' > new-${this.#line}` : `sed -i '${at}i ${line}' ${name}`
    if (open) {
      this.log.push(`${session.sessionID} goes on: ${command}`)
      open.shell(command)
      return
    }
    // A command may say what it changes, or not.
    const said = this.random.below(2) === 0 ? command : "make"
    this.log.push(`${session.sessionID} begins ${said}: ${command}`)
    const begun = await session.begin(said)
    begun.shell(command)
    this.#open.set(session, begun)
  }

  async #finish(session: SessionActor): Promise<void> {
    const open = this.#open.get(session)
    if (!open) return
    this.log.push(`${session.sessionID} ends its command`)
    this.#open.delete(session)
    const notes = await open.finish()
    this.log.push(JSON.stringify(notes))
  }

  /** Nobody else loses a line by it, and what is not named as left alone goes. */
  async #revert(session: SessionActor): Promise<void> {
    const before = await this.world.tree()
    this.log.push(`${session.sessionID} is reverted`)
    const report = await session.revert(0)
    const after = await this.world.tree()
    for (const by of ["start", "user", ...this.sessions.map(({ sessionID }) => sessionID)]) {
      const [was, is] = [lines({ tree: before, by }), lines({ tree: after, by })]
      const lost = [...was].filter((line) => !is.has(line))
      if (by !== session.sessionID) expect([by, lost]).toEqual([by, []])
      else if (report.notes.length === 0 && !report.files.some(({ action }) => action === "conflict"))
        expect([by, [...is]]).toEqual([by, []])
    }
    count(report.notes.length > 0 ? "unclear" : "clear")
    await session.unrevert()
    const tree = await this.world.tree()
    expect(tree).toEqual(before)
  }

  /** The text of a file with a line more or less of `by`, where it has only lines of `by` and of the start. */
  async #with(name: string, by: string): Promise<string | undefined> {
    const path = join(this.world.bench.directory, name)
    const info = await lstat(path).catch(() => undefined)
    if (!info) return undefined
    const all = (await readFile(path, "utf8")).split("\n").slice(0, -1)
    all.splice(this.random.below(all.length + 1), 0, `${name} ${by} ${(this.#line += 1)}`)
    return all.map((line) => `${line}\n`).join("")
  }
}

const outcomes = new Map<string, number>()
const count = (name: string) => void outcomes.set(name, (outcomes.get(name) ?? 0) + 1)

test("two sessions and the user at once: a revert takes back the session's own work and nothing else", async () => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const random = seeded(seed)
    await using world = await sessionWorld(setup)
    const sessions = [world, world.another("ses_2")]
    for (const session of sessions) session.prompt()
    const run = new Run(world, sessions, random)
    try {
      for (let steps = 6 + random.below(16); steps > 0; steps--) await run.step()
      await run.end()
    } catch (error) {
      throw new Error(`seed ${seed}: ${run.log.join(" | ")}`, { cause: error })
    }
  }
  for (const name of ["clear", "unclear"]) expect([name, (outcomes.get(name) ?? 0) > runs / 20]).toEqual([name, true])
}, 3_600_000)
