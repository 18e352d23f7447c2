import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { toolContext } from "../../../test/tool-context.ts"
import { planCommand } from "../../permission/command.ts"
import { planVerdict } from "../../permission/command-verdict.ts"
import { denialsOf } from "../../permission/layers.ts"
import { lookOnly } from "../../permission/look-only.ts"
import { loadBashParser } from "../../permission/shell/parser.ts"
import { childEnvironment } from "../../process/environment.ts"
import { createGit } from "../../process/git.ts"
import { createSandbox } from "../../process/sandbox/sandbox.ts"
import { findShell } from "../../process/shell.ts"
import { createSupervisor } from "../../process/supervisor.ts"
import { createBlobStore } from "../../workspace/history/blob-store.ts"
import { type CommandJournal, createCommandJournal } from "../../workspace/history/command-journal.ts"
import { createJournal } from "../../workspace/history/journal.ts"
import { createKnownFiles } from "../../workspace/history/known-files.ts"
import { locate } from "../../workspace/project.ts"
import { temporaryIn } from "../../workspace/project-bounds.ts"
import { userPlaces } from "../../workspace/protection.ts"
import { createOutput } from "../output.ts"
import { createBashTool } from "./bash.ts"
import { alone } from "../../../test/history/alone.ts"
import { boundedPlan } from "./bounded-plan.ts"
import type { ConfineDeps } from "./confine.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "cairn-confine-")))
const home = join(root, "home")
const bin = join(root, "bin")
mkdirSync(join(home, ".ssh"), { recursive: true })
mkdirSync(bin)
writeFileSync(join(home, ".ssh/id"), "secret")
/** What would reach beyond the machine or the sandbox is a stand-in that only says its name. */
for (const name of ["sudo", "ssh", "scp", "curl", "wget", "docker", "kubectl", "npm", "shutdown", "dd", "mkfs"])
  writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@"\n`, { mode: 0o755 })

const env = childEnvironment({
  ...{ PATH: `${bin}:${process.env["PATH"]}`, HOME: home, SSH_AUTH_SOCK: join(root, "agent") },
  ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" },
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
})
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env, graceMs: 300 })
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})
const calm = new TaskGroup().signal
const sandbox = await createSandbox({ supervisor, worktree: join(root, "w"), enabled: true })(calm)
if (sandbox.kind === "none") process.stderr.write(`skipped: no sandbox on this machine: ${sandbox.reason}\n`)
const here = describe.skipIf(sandbox.kind === "none")
const parse = await loadBashParser()
const places = userPlaces({}, home)

let worktree = ""
let count = 0
beforeEach(async () => {
  recorded.clear()
  worktree = join(root, "work", `w${++count}`)
  mkdirSync(worktree, { recursive: true })
  const setUp = "git init -q -b main; echo a > a.txt; mkdir src; echo b > src/b.ts; git add .; git commit -qm one"
  await supervisor.run({ argv: ["bash", "-c", setUp], cwd: worktree, signal: calm })
})

const depsOf = (more: Partial<ConfineDeps> = {}): ConfineDeps => ({
  ...{ env, home, worktree, gitDir: join(worktree, ".git"), commonDir: join(worktree, ".git"), places },
  ...{ network: true, passed: [], temp: temporaryIn(env), git: createGit(supervisor), log: silentLog },
  paths: {
    config: join(home, "c"),
    data: join(home, "d"),
    state: join(root, "state"),
    cache: join(home, ".cache/cairn"),
    toolOutput: join(home, "d/out"),
  },
  ...more,
})

/** What the journal has of the commands of this test: names below the worktree, and whether they are there. */
const recorded = new Map<string, boolean>()
const commands: Pick<CommandJournal, "begin"> = {
  async begin(call, signal) {
    const location = await locate(worktree)
    if (!location.ok) throw new Error(location.error.message)
    const blobs = createBlobStore(join(root, "blob"), systemClock)
    const journal = createJournal({
      ...{ blobs, changeID: () => "chg_1" },
      append: (_, changes) => {
        for (const { path, after } of changes) recorded.set(path.slice(worktree.length + 1), after.kind !== "absent")
      },
    })
    const known = createKnownFiles(blobs, systemClock)
    const git = createGit(supervisor)
    return createCommandJournal({
      git,
      blobs,
      journal,
      known,
      location: location.value,
      own: [],
      home,
      ...alone(root),
    }).begin(call, signal)
  },
}

function tool(more: Partial<ConfineDeps> = {}) {
  return createBashTool({
    ...{ supervisor, shell: () => findShell(env), journal: commands },
    output: createOutput({ directory: join(root, "spill"), clock: systemClock, log: silentLog }),
    plan: (command, cwd, { agent, callID }, outside) =>
      boundedPlan(
        depsOf(more),
        sandbox,
        (unbounded) => planCommand(parse, command, { cwd, worktree, home, places, unbounded }),
        { cwd, callID, outside, unbounded: false, readOnly: agent === "plan" },
      ),
  })
}
type Given = { deny?: readonly string[]; agent?: string; outside?: boolean; deps?: Partial<ConfineDeps> }
async function bash(command: string, { deny, agent = "build", outside, deps }: Given = {}) {
  // The provider makes it up.
  const context = { ...toolContext(worktree, { deny: deny ?? [], callID: `../../call${count}` }), agent }
  const ran = await tool(deps).execute({ command, ...(outside && { outside }) }, context)
  if (!ran.ok) throw new Error(ran.error.message)
  return { text: ran.value.output, asks: context.asks, exit: ran.value.metadata["exit"] }
}
/** A line that says nothing of what it does. */
function script(line: string): string {
  writeFileSync(join(worktree, "run.sh"), line)
  return "sh run.sh"
}
const has = (name: string) => existsSync(join(worktree, name))
const text = (name: string) => readFileSync(join(worktree, name), "utf8")

here("protected places", () => {
  test("those that are there cannot be written; the result names the rule and the way", async () => {
    mkdirSync(join(worktree, ".github/workflows"), { recursive: true })
    const { text: said } = await bash(script("echo x > .github/workflows/x.yml"))
    expect(said).toContain(`[the sandbox stopped this: `)
    expect(said).toContain("`outside: true` asks the user")
    expect(has(".github/workflows/x.yml")).toBe(false)
    const hook = await bash(script("echo x > .git/hooks/pre-commit"))
    expect(hook.text).toContain(`${worktree}/.git/hooks is protected: git runs programs from here`)
  })

  test("what a line was approved for it may write", async () => {
    const { asks } = await bash("echo x > .git/hooks/pre-commit")
    expect(asks.some((ask) => ask.mustAsk?.protected)).toBe(true)
    expect(text(".git/hooks/pre-commit")).toBe("x\n")
  })

  test("git alone brings tracked definitions to another state", async () => {
    await bash("mkdir -p .github/workflows; echo 1 > .github/workflows/ci.yml; git add .; git commit -qm ci")
    await bash("git checkout -qb old HEAD~1")
    expect(has(".github/workflows/ci.yml")).toBe(false)
    expect(await bash("git checkout -q main")).toMatchObject({ exit: 0 })
    expect(text(".github/workflows/ci.yml")).toBe("1\n")
  })

  test.each([
    ["cairn.json", "echo {} > cairn.json", "the agent's own configuration"],
    [".github/workflows", "mkdir -p .github/workflows; echo x > .github/workflows/a.yml", "a CI definition"],
    ["a.code-workspace", "echo {} > a.code-workspace", "the editor runs programs"],
    [".git/hooks/post-merge", "mv .git g; cp -r g .git; echo x > .git/hooks/post-merge", "git runs programs"],
  ])("a new %s is put aside and asked about", async (name, line, reason) => {
    const refused = await bash(script(line), { deny: ["edit"] })
    expect(refused.text).toContain(`[${name} is protected (${reason}`)
    const aside = /put aside, in (\S+);/.exec(refused.text)![1]!
    expect(aside).toMatch(new RegExp(`^${root}/state/aside/_{6}call${count}-[a-z0-9]+$`))
    expect([has(name), existsSync(join(aside, name))]).toEqual([false, true])
    expect(recorded.has(name)).toBe(false)
    expect(refused.asks.at(-1)).toMatchObject({ permission: "edit", always: [], mustAsk: { protected: true } })
  })

  test("what the user allows comes back", async () => {
    const { text: said } = await bash(script("echo {} > cairn.json; echo x > run.sh.out"))
    expect(said).toContain("the user has allowed")
    expect(text("cairn.json")).toBe("{}\n")
    expect([...recorded]).toEqual([
      ["run.sh.out", true],
      ["cairn.json", true],
    ])
  })

  test("what the user changes while being asked is the user's, and an end meanwhile keeps what is known", async () => {
    const given = toolContext(worktree, { callID: `call${count}` })
    const context: typeof given = {
      ...given,
      async ask(ask) {
        if (ask.permission !== "edit") return await given.ask(ask)
        writeFileSync(join(worktree, "theirs"), "")
        throw new Error("the session ended")
      },
    }
    const ran = tool().execute(
      { command: script("echo x > ours; echo {} > cairn.json; echo {} > opencode.json") },
      context,
    )
    expect(await ran.catch((error: unknown) => String(error))).toContain("the session ended")
    expect([...recorded]).toEqual([["ours", true]])
    expect(given.shown.at(-1)?.metadata).toEqual({ journal: { files: 1, uncovered: [] } })
    expect([has("cairn.json"), has("opencode.json")]).toEqual([false, false])
  })

  test("git's settings: those that start programs are taken back, others stay", async () => {
    const plain = await bash(script("git config branch.main.remote origin"), { deny: ["edit"] })
    expect(plain.text).toBe("[exit code 0]")
    const before = text(".git/config")
    const line = script("git config core.fsmonitor ./evil")
    expect((await bash(line, { deny: ["edit"] })).text).toContain("git starts programs by core.fsmonitor")
    expect(text(".git/config")).toBe(before)
    await bash(line)
    expect(text(".git/config")).toContain("evil")
  })

  test("a timeout puts aside too", async () => {
    const context = { ...toolContext(worktree, { deny: ["edit"], callID: `call${count}` }), agent: "build" }
    const ran = await tool().execute({ command: script("echo {} > cairn.json; sleep 60"), timeout: 1_000 }, context)
    expect(ran.ok && ran.value.output).toContain("cairn.json is protected")
    expect(has("cairn.json")).toBe(false)
  })

  test("an interruption puts aside, and asks nobody", async () => {
    const turn = new TaskGroup()
    const context = toolContext(worktree, {
      ...{ signal: turn.signal, callID: `call${count}` },
      onProgress: () => turn.cancel(new Error("stop")),
    })
    const outcome = await tool()
      .execute({ command: script("echo {} > cairn.json; echo a > kept; echo ready; sleep 60") }, context)
      .catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(Error)
    expect([has("cairn.json"), context.asks.some((ask) => ask.permission === "edit")]).toEqual([false, false])
    expect([...recorded]).toEqual([["kept", true]])
    expect(context.shown.at(-1)?.metadata).toEqual({ journal: { files: 1, uncovered: [] } })
  })

  test("a repository may be made where there is none", async () => {
    rmSync(join(worktree, ".git"), { recursive: true })
    const none = { gitDir: undefined, commonDir: undefined }
    expect((await bash("git init -q .", { deps: none })).text).toBe("[exit code 0]")
    expect(has(".git/config")).toBe(true)
  })
})

here("what is outside", () => {
  test("an approved place outside can be written, what was not named cannot", async () => {
    const elsewhere = join(root, `elsewhere${count}`)
    mkdirSync(elsewhere)
    const deps = { temp: [] }
    await bash(`echo x > ${elsewhere}/x`, { deps })
    const { text: said } = await bash(script(`echo y > ${elsewhere}/y`), { deps })
    expect(readdirSync(elsewhere)).toEqual(["x"])
    expect(said).toContain("only the project, temporary files and the caches of package managers may be written")
    await bash(script(`echo z > ${elsewhere}/z`), { outside: true, deps })
    expect(readdirSync(elsewhere)).toEqual(["x", "z"])
  })

  test("what is the kernel's is that of the sandbox, though it was approved", async () => {
    const { text: said } = await bash(
      "readlink /proc/self/ns/pid; cat /proc/self/comm /sys/kernel/nothing; ls /dev/pts",
    )
    expect(said).toMatch(/^pid:\[\d+\]\ncat\n/)
  })

  test("keys are there for the program that owns them, alone on its line", async () => {
    const read = `cat ${home}/.ssh/id`
    expect((await bash(`git ls-remote . | wc -l; ${read}`)).text).toContain("secret")
    expect((await bash(`git status -s; ${read}`)).text).not.toContain("secret")
    const refused = await bash(`npm test; git ls-remote .; ${read}`)
    expect(refused.text).not.toContain("secret")
    expect(refused.text).toContain(`${home}/.ssh is hidden`)
  })

  test("the ask shows what the command does not get", async () => {
    writeFileSync(join(root, "agent"), "")
    const { text: said, asks } = await bash("echo [$SSH_AUTH_SOCK]")
    expect(said).toContain("[]")
    expect(asks[0]?.metadata?.["environment"]).toEqual(["without SSH_AUTH_SOCK"])
    const off = await bash("true", { deps: { network: false, passed: ["HOME"] } })
    expect(off.asks[0]?.metadata?.["environment"]).toEqual(["without network", "without SSH_AUTH_SOCK", "with HOME"])
  })

  test("to run outside is asked for, by a person, once", async () => {
    const { asks } = await bash("echo x > .git/hooks/y; echo z", { outside: true })
    expect(asks[0]).toMatchObject({ permission: "bash", always: [], mustAsk: { protected: true } })
    expect(asks[0]?.mustAsk?.reason).toContain("without the sandbox")
    expect(has(".git/hooks/y")).toBe(true)
  })

  test("a signal is told from an exit, as without a sandbox", async () => {
    expect((await bash("kill -TERM $$")).text).toBe("[killed by SIGTERM]")
    expect((await bash("exit 3")).text).toBe("[exit code 3]")
  })

  test("the git directory of a linked worktree can be written", async () => {
    const linked = join(root, "work", `linked${count}`)
    await supervisor.run({
      argv: ["git", "worktree", "add", "-q", linked, "-b", `b${count}`],
      cwd: worktree,
      signal: calm,
    })
    const main = worktree
    worktree = linked
    const deps = { gitDir: join(main, ".git/worktrees", `linked${count}`), commonDir: join(main, ".git") }
    expect((await bash("echo c > c; git add c; git commit -qm c && git log --oneline | wc -l", { deps })).text).toMatch(
      /^2\n/,
    )
  })
})

/** Names, links, contents and modes of everything below. */
function stateOf(directory: string): string {
  const rows = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return `${path} ${entry.isFile() ? Bun.hash(readFileSync(path)) : entry.isSymbolicLink()}`
  })
  return rows.toSorted().join("\n")
}

const destructive = [
  "rm -rf * .git",
  "find . -delete",
  "git reset --hard HEAD; git clean -fdx",
  "git checkout -b x; git commit --allow-empty -m x; git branch -D main",
  "git stash -u; git stash drop; git gc --prune=now",
  "echo x > a.txt; echo x >> src/b.ts; : > new",
  "sed -i s/a/b/ a.txt; perl -pi -e s/a/b/ a.txt; truncate -s 0 a.txt",
  "mv src elsewhere; cp a.txt c.txt; ln -s /etc/passwd link; ln -f a.txt hard; chmod -R 000 .; touch a.txt -d 1999-01-01",
  "tar xf - -C . < /dev/null; mkdir -p .github/workflows; install a.txt c; tee c < a.txt; dd if=/dev/zero of=a.txt",
  "python3 -c 'open(\"a.txt\",\"w\")'; eval 'rm a.txt'; bash -c 'exec 3<>a.txt; echo x >&3'",
  'cd src && rm -rf ../a.txt; cd / && rm -f "$OLDPWD/a.txt"',
  "xargs rm -f <<< a.txt; sort -o a.txt src/b.ts; git config core.pager evil; git update-ref -d HEAD",
  "mount -o remount,rw . ; mount --bind /tmp .; umount -l .; unshare -Urm sh -c 'mount -o remount,bind,rw . ; echo x > a.txt'",
  "chattr +i a.txt; setfacl -m u:1:r a.txt; mkfifo pipe; mknod null c 1 3; sudo rm a.txt; npm install; docker run x; kubectl delete x",
  'for f in *; do : > "$f"; done; rmdir src; git rm -rfq .; git worktree add ../w2; git init --bare b',
  "(sleep 0.05; echo late > late.txt) & disown; nohup sh -c 'sleep 0.05; echo late > late2.txt' & setsid sh -c 'echo late > late3.txt'",
]

here("a read-only agent", () => {
  test.each(destructive)("leaves the project as it is: %s", async (line) => {
    symlinkSync(join(worktree, "a.txt"), join(worktree, "src/link"))
    const before = stateOf(worktree)
    const { text: said } = await bash(line, { agent: "plan" })
    expect(stateOf(worktree)).toBe(before)
    expect(said).toMatch(/\[exit code|killed/)
  })

  test("it is told why, without a way out", async () => {
    const { text: said } = await bash("rm a.txt", { agent: "plan" })
    expect(said).toContain("[the sandbox stopped this: this agent may look, and change nothing but temporary files.]")
  })

  test("its denials of commands are lifted within the sandbox, other people's are not", () => {
    const asksOf = (command: string, outside = false) =>
      boundedPlan(
        depsOf(),
        sandbox,
        (unbounded) => planCommand(parse, command, { cwd: worktree, worktree, home, places, unbounded }),
        { cwd: worktree, callID: "c", outside, unbounded: false, readOnly: true },
      ).asks
    const rules = [denialsOf(lookOnly), [{ permission: "bash", pattern: "*", action: "allow" } as const]]
    const verdict = (command: string, outside?: boolean) => planVerdict(asksOf(command, outside), rules, worktree)
    expect(["cargo test", "ls", 'eval "$X"'].map((one) => verdict(one))).toEqual(["allow", "allow", "allow"])
    expect([verdict("cargo test", true), verdict("ls", true)]).toEqual(["deny", "ask"])
    const strict = [...rules, denialsOf([{ permission: "bash", pattern: "cargo *", action: "deny" }])]
    expect(planVerdict(asksOf("cargo test"), strict, worktree)).toBe("deny")
  })
})

describe("without a sandbox", () => {
  test("all is as it was: what nobody can read is asked for, and nothing bounds it", () => {
    const plan = (unbounded: boolean) =>
      planCommand(parse, 'eval "$X"', { cwd: worktree, worktree, home, places, unbounded })
    const line = { cwd: worktree, callID: "c", outside: true, unbounded: false, readOnly: true }
    const planned = boundedPlan(depsOf(), { kind: "none", reason: "x" }, plan, line)
    expect(planned.confine).toBeUndefined()
    expect(planned.asks).toEqual(plan(false).asks)
    expect(planned.asks[0]?.mustAsk).toBeDefined()
  })
})
