import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { PermissionAction } from "@cairn/schema/permission"
import { createAgents } from "../agent/agents.ts"
import { planCommand } from "./command.ts"
import { planVerdict } from "./command-verdict.ts"
import attempts from "./fixture/attempts.json"
import { layerStack } from "./layers.ts"
import { fromConfig } from "./rule.ts"
import { loadBashParser } from "./shell/parser.ts"

const parse = await loadBashParser()
let root = ""
let worktree = ""
let home = ""
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-attempts-")))
  worktree = join(root, "w")
  home = join(root, "home")
  const files = ["w/.env", "w/a.txt", "w/x", "w/list", "w/s.sh", "w/src/a.ts", "w/Makefile", "w/package.json"]
  for (const file of [...files, "w/.git/config", "w/.github/workflows/ci.yml", "home/.bashrc", "away/secret.txt"]) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), "x\n")
  }
  await mkdir(join(worktree, "bin"))
  await mkdir(join(worktree, ".git/hooks"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

type Rules = Parameters<typeof fromConfig>[0]
const names = ["PATH", "HOME", "USER", "LANG", "TERM"]
function verdict(line: string, permission: Rules): PermissionAction {
  const { asks } = planCommand(parse, line, { cwd: worktree, worktree, home, environmentNames: names })
  return planVerdict(asks, layerStack({ trusted: false, home, user: fromConfig(permission) }), worktree)
}

const guarded = {
  edit: { "*": "allow", "*.env": "deny" },
  read: { "*": "allow", "*.env": "deny" },
  external_directory: "deny",
} as const
const denying: Rules = {
  "*": "allow",
  bash: { "*": "allow", "rm *": "deny", rm: "deny", "git push*": "deny" },
  ...guarded,
}
const programs =
  "ls echo cat make sed awk find grep tar sort head tail tee cd xargs true test printf wc cp mv touch mkdir env timeout nice sh bash python3 perl node npm curl zip jq sqlite3 dd install split ssh rsync man less vim gcc openssl diff uniq cut tr comm paste column date read export declare f"
const naming: Rules = {
  "*": "allow",
  bash: Object.fromEntries([
    ["*", "ask"],
    ...[
      ...programs.split(" "),
      "git status",
      "git log",
      "git diff",
      "git add",
      "git commit",
      "git fetch",
      "git grep",
    ].map((name) => [`${name} *`, "allow"] as const),
  ]),
  ...guarded,
}

/*
 * Every line of the file was run in bash, in a container with stand-ins for rm and git: it ran rm or git push, read or
 * changed .env, left the project, or changed what is protected.
 */
describe.each([
  ["all is allowed but these", denying],
  ["these are allowed by name", naming],
])("none of what does in bash what the rules deny is allowed: %s", (_, rules) => {
  test.each(
    Map.groupBy(attempts, (line) => line.split(/\W/, 1)[0]!)
      .entries()
      .toArray(),
  )("%s", (_name, lines) => {
    expect(lines.filter((line) => verdict(line, rules) === "allow")).toEqual([])
  })
})

test("the attempts are many and differ", () => {
  expect(attempts.length).toBeGreaterThan(1400)
  expect(new Set(attempts).size).toBe(attempts.length)
})

describe("what the original lets through", () => {
  const agentVerdict = (name: string, line: string, permission: Rules) => {
    const layers = [{ source: "request", layer: "user" as const, permission: fromConfig(permission), agents: {} }]
    const agent = createAgents({ config: {}, layers, trusted: false, home }).get(name)
    if (!agent.ok) throw new Error(agent.error.message)
    const { asks } = planCommand(parse, line, { cwd: worktree, worktree, home, environmentNames: names })
    return planVerdict(asks, agent.value.rules, worktree)
  }

  test.each(["plan", "explore"])("%s writes once the user allows edit", (name) => {
    for (const rules of [
      "allow",
      { edit: "allow", bash: "allow" },
      { "*": "allow", edit: { "*": "allow" } },
    ] as Rules[])
      for (const line of [
        "echo x > a.txt",
        "touch new",
        "cp a.txt b",
        "rm x",
        "sed -i s/x/y/ a.txt",
        "git checkout x",
        "tee a.txt < x",
      ])
        expect([line, agentVerdict(name, line, rules)]).not.toEqual([line, "allow"])
  })

  test("a symbolic link leaves the worktree", async () => {
    await symlink(join(root, "away"), join(worktree, "out"))
    for (const line of [
      "cat out/secret.txt",
      "echo x > out/y",
      "cp a.txt out/",
      "cd out && ls",
      "ls out/",
      "rm out/secret.txt",
    ])
      expect([line, verdict(line, { "*": "allow", external_directory: "deny" })]).toEqual([line, "deny"])
  })

  test("a redirect leaves the worktree", () => {
    for (const line of [
      "echo x > ../y",
      "echo x >> ~/.bashrc",
      "ls 2> /etc/x",
      "cat < ../away/secret.txt",
      "ls &> ../y",
      "ls >| ../y",
    ])
      expect([line, verdict(line, { "*": "allow", external_directory: "deny" })]).toEqual([line, "deny"])
  })

  test.each([
    "env rm x",
    "/bin/rm x",
    "bash -c 'rm x'",
    "\\rm x",
    "command rm x",
    "sh -c rm\\ x",
    "/usr/bin/env -i rm x",
  ])("%s passes a deny of rm", (line) =>
    expect(verdict(line, { "*": "allow", bash: { "*": "allow", "rm *": "deny" } })).toBe("deny"),
  )

  test.each([
    "git -c alias.x='!touch y' x",
    "git -c core.pager='touch y' log",
    "git -c core.sshCommand='touch y' fetch",
    "git --config-env=alias.x=X x",
    "GIT_SSH_COMMAND='touch y' git fetch",
  ])("%s passes an allow of git", (line) => {
    expect(verdict(line, { bash: { "*": "ask", "git *": "allow" } })).toBe("ask")
    expect(verdict(line, { bash: { "*": "deny", "git *": "allow" } })).toBe("deny")
  })
})
