import { describe, expect, test } from "bun:test"
import { fromConfig } from "../rule.ts"
import { planCommand } from "../command.ts"
import { planVerdict } from "../command-verdict.ts"
import { destructiveRows } from "./destructive.ts"
import { environmentHatches } from "./environment-hatches.ts"
import { shellFacts } from "./facts.ts"
import { hatches } from "./hatches.ts"
import { launchers } from "./launchers.ts"
import { loadBashParser } from "./parser.ts"
import { wrapperRows } from "./wrappers.ts"

const parse = await loadBashParser()
const facts = (line: string) => shellFacts(parse, line, { cwd: "/w", home: "/h", environmentNames: ["PATH", "HOME"] })
const verdict = (line: string, permission: Parameters<typeof fromConfig>[0]) =>
  planVerdict(planCommand(parse, line, { cwd: "/w", worktree: "/w", home: "/h" }).asks, [fromConfig(permission)], "/w")

describe("wrappers", () => {
  const around = wrapperRows.map((row) => {
    const operands = Array.from({ length: row.operands ?? 0 }, (_, index) => `o${index + 1}`)
    return [[row.name, ...(row.words ?? []), ...operands].join(" "), row] as const
  })

  test.each(around)("%s: a deny of what it runs holds", (front, row) => {
    const line = `${front} rm -f x`
    expect(verdict(line, { "*": "allow", bash: { "*": "allow", "rm *": "deny" } })).toBe("deny")
    if (row.opaque === "*") expect(facts(line).opaque).toContain(row.reason)
    else expect(facts(line).opaque).toBeUndefined()
  })

  test.each(around)("%s: every option that is known is passed over", (front, row) => {
    if (row.opaque === "*") return
    const start = [row.name, ...(row.words ?? [])].join(" ")
    const operands = front.slice(start.length)
    const options = [
      ...[...(row.flags ?? "")].map((flag) => `-${flag}`),
      ...[...(row.valued ?? "")].map((flag) => `-${flag} v`),
      ...(row.long?.split(" ") ?? []).map((name) => `--${name}`),
      ...(row.longValued?.split(" ") ?? []).flatMap((name) => [`--${name} v`, `--${name}=v`]),
    ]
    const rules = { "*": "allow", bash: { "*": "allow", "rm x": "deny" } } as const
    for (const option of options) {
      const line = `${start} ${option}${operands} rm x`
      expect([line, verdict(line, rules)]).toEqual([line, "deny"])
      if (row.kind !== "elsewhere") expect([line, facts(line).opaque]).toEqual([line, undefined])
    }
    if (row.kind !== "elsewhere") expect(facts(`${start} --zzz${operands} rm x`).opaque).toContain("not known")
    for (const flag of row.opaque ?? "") expect(facts(`${start} -${flag} v${operands} rm x`).opaque).toBeDefined()
  })

  test("who may be the wrapper depends on what it changes", () => {
    const rm = { "*": "allow", bash: { "*": "ask", "rm *": "allow" } } as const
    expect(["nice rm x", "env A=1 rm x", "timeout 5 rm x"].map((line) => verdict(line, rm))).toEqual([
      "allow",
      "allow",
      "allow",
    ])
    expect(["sudo rm x", "chroot / rm x", "docker exec c rm x"].map((line) => verdict(line, rm))).toEqual([
      "ask",
      "ask",
      "ask",
    ])
    expect(verdict("uv run rm x", { "*": "allow", bash: { "*": "ask", "uv run *": "allow" } })).toBe("allow")
    expect(verdict("timeout 5 make", { "*": "allow", bash: { "*": "allow", "timeout *": "ask" } })).toBe("ask")
    expect(verdict("timeout 5 make", { "*": "allow", bash: { "*": "ask", "timeout *": "allow" } })).toBe("ask")
  })
})

describe("hatches", () => {
  test.each(hatches.map((row) => [row.example, row] as const))("%s", (line, row) => {
    expect(facts(line).opaque).toContain(row.reason)
    const [name = ""] = row.commands
    // A pattern for the program does not cover it.
    const narrow = Object.fromEntries([["*", "ask"], ...row.commands.map((one) => [`${one} *`, "allow"])])
    expect(verdict(line, { "*": "allow", bash: narrow as Record<string, "ask" | "allow"> })).toBe("ask")
    expect(row.commands).toContain(line.split(" ", 1)[0]!)
    expect(name).not.toBe("")
  })

  test("each has its example, and no two the same", () => {
    expect(new Set(hatches.map((row) => row.example)).size).toBeGreaterThan(hatches.length - 2)
    expect(hatches.length).toBeGreaterThan(120)
  })

  test.each([
    ...[
      "git status",
      "git log --oneline -5",
      "git diff HEAD~1 -- src",
      "git commit -m 'x -- y'",
      "git push -u origin main",
    ],
    ...[
      "git rebase main",
      "git stash pop",
      "git clone https://example.com/a/b",
      "git fetch --all --prune",
      "git tag v1",
    ],
    ...["git checkout -b x", "git cherry-pick abc", "git -C pkg status", "git --no-pager log", "git config user.name"],
    ...["npm test", "npm ci", "npm run build -- --watch", "npm config get registry", "pnpm -r build", "yarn add x"],
    ...["bun test", "bun run build", "bun install", "deno task x", "node script.js -e x", "node --test", "tsx a.ts"],
    ...[
      "cargo build --release",
      "cargo test -- --nocapture",
      "cargo clippy -- -D warnings",
      "go test ./...",
      "go build -o x .",
    ],
    ...[
      "go build -ldflags='-s -w' .",
      "python x.py -c y",
      "python -m pytest -q",
      "python3 -m venv .venv",
      "pip install -r requirements.txt",
    ],
    ...[
      "pytest -k x -p no:cacheprovider",
      "make -j4 all",
      "make CC=clang",
      "cmake -S . -B build",
      "cmake --build build",
      "ninja -C build",
    ],
    ...[
      "docker build -t x .",
      "docker compose up -d",
      "docker ps -a",
      "docker logs -f x",
      "kubectl get pods -n x",
      "kubectl logs x",
    ],
    ...[
      "terraform plan",
      "gh pr list",
      "gh pr view 3 --json title",
      "aws s3 ls",
      "gcloud projects list",
      "az group list",
    ],
    ...["systemctl status x", "journalctl -u x", "apt-get update", "apt list --installed", "brew install x"],
    ...[
      "tar czf x.tgz src",
      "tar -xf x.tar",
      "sed -i 's/a/b/' f",
      "sed -n 1,5p f",
      "awk '{print $1}' f",
      "jq .a f",
      "sort -u f",
    ],
    ...[
      "find . -name '*.ts' -type f",
      "rg -n foo src",
      "fd x src",
      "curl -fsSL https://example.com",
      "wget -q https://example.com",
    ],
    ...[
      "rsync -a src/ out/",
      "patch f x.patch",
      "sqlite3 x.db 'select 1'",
      "psql -c 'select 1'",
      "eslint --fix src",
      "prettier -w .",
    ],
    ...[
      "java -jar x.jar",
      "mvn -q test",
      "./gradlew build",
      "ruby x.rb",
      "perl x.pl",
      "php artisan migrate",
      "lua x.lua",
    ],
  ])("none opens for %s", (line) => {
    expect(facts(line).opaque).toBeUndefined()
  })
})

test.each([...launchers])("%s: %s", (name, reason) => {
  expect(facts(`${name} rm x`).opaque).toContain(reason)
})

describe("variables", () => {
  test.each(environmentHatches.map((row) => [row.example, row.reason] as const))("%s: %s", (setting, reason) => {
    const name = setting.slice(0, setting.indexOf("="))
    for (const line of [
      `${setting} make`,
      setting,
      `export ${setting}; make`,
      `env ${setting} make`,
      `read ${name} < x; make`,
    ])
      expect([line, facts(line).opaque]).toEqual([line, expect.stringContaining(reason)])
  })

  test.each([
    "FOO=1",
    "NODE_ENV=test",
    "CI=true",
    "PAGER=cat",
    "GIT_EDITOR=true",
    "NODE_OPTIONS=--max-old-space-size=4096",
    "RUST_LOG=debug",
    "CC=gcc",
    "PORT=3000",
    "GIT_AUTHOR_NAME=x",
    "PYTHONPATH=src",
    "DEBUG='*'",
    "RUSTFLAGS='-D warnings'",
    "GOFLAGS=-mod=mod",
  ])("%s is nothing to ask for", (setting) => {
    expect(facts(`${setting} make`).opaque).toBeUndefined()
    expect(facts(`export ${setting} && make`).opaque).toBeUndefined()
  })
})

describe("what could be lost", () => {
  test.each(destructiveRows.map((row) => [row.example, row.reason] as const))("%s: %s", (line, reason) => {
    expect(facts(line).invocations.at(-1)!.destructive).toBe(reason)
    expect(facts(`timeout 5 ${line}`).invocations.at(-1)!.destructive).toBe(reason)
  })

  test.each([
    "git status",
    "git push",
    "git reset HEAD~1",
    "git clean -n",
    "git branch x",
    "git stash",
    "git rebase --abort",
    "docker ps",
    "kubectl get pods",
    "ls",
    "git rm --cached x",
  ])("nothing by %s", (line) => {
    expect(facts(line).invocations[0]!.destructive).toBeUndefined()
  })
})
