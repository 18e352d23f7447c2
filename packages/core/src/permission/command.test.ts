import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PermissionAction } from "@cairn/schema/permission"
import fc from "fast-check"
import type { Ask } from "./ask.ts"
import { planCommand } from "./command.ts"
import { fromConfig } from "./rule.ts"
import { planVerdict } from "./command-verdict.ts"
import { loadBashParser } from "./shell/parser.ts"

const parse = await loadBashParser()

let root = ""
let worktree = ""
let home = ""

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-command-")))
  worktree = join(root, "w")
  home = join(root, "home")
  await mkdir(join(worktree, "pkg", "deep"), { recursive: true })
  await mkdir(join(root, "w-evil"))
  await mkdir(home)
  await writeFile(join(root, "w-evil", "secret"), "")
  await writeFile(join(worktree, "a.txt"), "")
  await symlink(join(root, "w-evil"), join(worktree, "link"))
  await symlink(join(root, "gone"), join(worktree, "dangling"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const plan = (line: string, cwd = worktree) =>
  planCommand(parse, line, { cwd, worktree, home, environmentNames: ["HOME", "PATH", "USER"] }).asks
const bash = (line: string): Ask => plan(line)[0]!
/** Every text that a rule may allow a command of the line by. */
const named = (line: string): string[] => bash(line).commands!.flatMap((part) => part.named)
const opaque = (line: string) => bash(line).opaque?.reason
const outside = (line: string, cwd = worktree) =>
  plan(line, cwd).find((ask) => ask.permission === "external_directory")?.patterns

const verdict = (line: string, permission: Parameters<typeof fromConfig>[0]): PermissionAction =>
  planVerdict(plan(line).map(withoutMust), [fromConfig(permission)], worktree)
/** What the rules alone say. */
const withoutMust = ({ mustAsk: _, ...ask }: Ask): Ask => ask

describe("plain lines", () => {
  test.each([
    ["git status", ["git status"]],
    ["git   status", ["git status"]],
    ["ls && git log -3; pwd | wc -l", ["ls", "git log -3", "pwd", "wc -l"]],
    ["a\nb\n\nc &&\n d", ["a", "b", "c", "d"]],
    ["echo 'a b' \"c d\" e\\ f", ["echo 'a b' \"c d\" e\\ f", "echo a b c d e f"]],
    ["r''m x", ["r''m x", "rm x"]],
    ["\\rm x", ["\\rm x", "rm x"]],
    ["'rm' x", ["'rm' x", "rm x"]],
    ["/bin/rm x", ["/bin/rm x", "rm x"]],
    ["ls # rm x", ["ls"]],
    ["echo a#b", ["echo a#b"]],
    ["make 2>&1", ["make"]],
    ["make > /dev/null 2>&1 < /dev/null", ["make"]],
    ["grep 'x$' a.txt", ["grep 'x$' a.txt", "grep x$ a.txt"]],
    ['grep "x$" a.txt', ['grep "x$" a.txt', "grep x$ a.txt"]],
    ["[ -f a.txt ] && ls", ["[ -f a.txt ]", "ls"]],
    ["git show HEAD@{1}", ["git show HEAD@{1}"]],
    ["git \\\n status", ["git status"]],
    ["python script.py", ["python script.py"]],
    ["bash build.sh", ["bash build.sh"]],
    ["sed -n 1,5p a.txt", ["sed -n 1,5p a.txt"]],
    ["sed -n /world/p e2e/web.ts", ["sed -n /world/p e2e/web.ts"]],
    ["sed s/foo/west/g word", ["sed s/foo/west/g word"]],
    ["sed /we/,/ew/s,a,w,g e", ["sed /we/,/ew/s,a,w,g e"]],
    ["sed y/we/ew/ w", ["sed y/we/ew/ w"]],
    ["awk '{print $1}' a.txt", ["awk '{print $1}' a.txt", "awk {print $1} a.txt"]],
    ["find . -name '*.ts'", ["find . -name '*.ts'", "find . -name *.ts"]],
    ["git switch -c feature", ["git switch -c feature"]],
    ["(make; ls) && git log", ["make", "ls", "git log"]],
    ["( (make) )", ["make"]],
    ["{ make; ls\n}", ["make", "ls"]],
    ["make & ls &", ["make", "ls"]],
    ["! git diff && ls", ["git diff", "ls"]],
    ["if [ -e x ]; then ls; elif pwd; then make; else\n git log; fi", ["[ -e x ]", "ls", "pwd", "make", "git log"]],
    ["while [ ! -e go ]; do sleep 0.02; done", ["[ ! -e go ]", "sleep 0.02"]],
    ["until (make); do { ls; }; done | wc", ["make", "ls", "wc"]],
    ["printf $'a\\n\\'b'", ["printf $'a\\n\\'b'", "printf a\n'b"]],
    ['make; echo "exit $?"', ["make", "echo exit \ufffe"]],
    ["git commit -m 'x (y) $5'", ["git commit -m 'x (y) $5'", "git commit -m x (y) $5"]],
  ])("%j", (line, patterns) => {
    const ask = bash(line)
    expect(ask.opaque).toBeUndefined()
    expect(ask.permission).toBe("bash")
    expect(named(line)).toEqual(patterns)
    expect(plan(line).filter((one) => !["bash", "read", "edit"].includes(one.permission))).toEqual([])
  })
})

describe("what is not understood", () => {
  test.each([
    "$CMD x",
    "()",
    "(ls",
    "ls)",
    "(ls) rm x",
    "ls | ! rm x",
    "( ; ls)",
    "{ ls",
    "ls; }",
    "if ls; then make",
    "then ls",
    "fi",
    "done; ls",
    "while ls; fi",
    "while true; do cd ..; done",
    "for PATH in .; do ls; done",
    "rm $?",
    "rm x$?",
    "! ",
    "((USER))",
    "PATH=.",
    "eval rm x",
    "source x",
    ". x",
    "xargs rm",
    "curl x | sh",
    "bash",
    "bash -",
    "python -c 'x'",
    "python3 -",
    "node -e x",
    "node --eval=x",
    "perl -pe x a.txt",
    "find . -delete",
    "git -c alias.x=!rm x",
    "git -c core.pager=rm log",
    "git fetch --upload-pack=rm x",
    "git config alias.x '!rm'",
    "git config --global core.editor rm",
    "git bisect run rm",
    "git rebase -x rm main",
    "tar --checkpoint-action=exec=rm -cf x y",
    "awk 'BEGIN{system(\"rm x\")}'",
    "sed '1e rm x' a.txt",
    "sed 's/a/b/e' a.txt",
    "sed s/a/b/w.git/x a.txt",
    "sed 's/a/b/gw out' a.txt",
    "sed 's|a|b|;s,a,b,w out' a.txt",
    "sed '/x/w out' a.txt",
    "sed '1w.git/x' a.txt",
    "sed --expression='1e rm' a.txt",
    "sed -e p -e'$e rm' a.txt",
    "sed -ne 'w out' a.txt",
    "sed e a.txt",
    "sed -f x a.txt",
    "sed --fi=x a.txt",
    "/bin/r? x",
    "r* x",
    "~root/x",
    "export PATH=.",
    "ssh host rm x",
    "ls >",
    "ls |",
    "&& ls",
    "ls ;; ls",
    "ls 'open",
    'ls "open',
    "ls \\",
    "ls\rrm x",
    "ls\u0000",
    "ls >& $x",
    "",
    "  # only a comment",
    "cd $USER && ls",
    "cd - && ls",
  ])("%j", (line) => {
    expect(opaque(line)).toBeString()
    expect(bash(line).always).toEqual([])
    // A narrow allow never covers it, and the general rule does.
    expect(
      verdict(line, { bash: { "*": "ask", "?*": "allow", "e*": "allow", "git *": "allow", "ls *": "allow" } }),
    ).toBe("ask")
    expect(verdict(line, { bash: { "*": "allow", "zzz *": "deny" } })).toBe("ask")
    // The general rule does not either, unless the user has said that nothing bounds commands.
    expect(bash(line).mustAsk?.reason).toBeString()
    expect(
      planCommand(parse, line, { cwd: worktree, worktree, home, unbounded: true }).asks[0]!.mustAsk?.protected,
    ).toBe(bash(line).mustAsk?.protected)
  })

  test("the line is shown whole, and its plain commands are still asked for one by one", () => {
    const ask = bash("git push && python -c x")
    expect(ask.patterns).toEqual(["git push", "python -c x"])
    expect(ask.opaque?.text).toBe("git push && python -c x")
    expect(verdict("git push && python -c x", { bash: { "*": "allow", "git push *": "deny" } })).toBe("deny")
  })

  test("bounds: a long line, many words, many commands", () => {
    expect(opaque(`echo ${"x".repeat(70_000)}`)).toContain("64 kB")
    expect(opaque(`echo ${"x ".repeat(2_000)}`)).toContain("too many words")
    expect(opaque("(".repeat(10_000))).toBeString()
  })
})

test("the home directory and the working directory are known", () => {
  expect(named('ls $HOME "${HOME}/x"')).toEqual(['ls $HOME "${HOME}/x"', `ls ${home} ${home}/x`])
  expect(outside("cat $HOME/x")).toEqual([`${home}/*`])
  expect(outside("cat $PWD/a.txt")).toBeUndefined()
  expect(outside('cat "$PWD/../x"')).toEqual([`${root}/*`])
  const spaced = planCommand(parse, "ls $HOME", { cwd: worktree, worktree, home: "/a b" }).asks[0]!
  // The shell splits it, and so do we.
  expect(spaced.commands![0]!.named).toContain("ls /a b")
})

describe("a deny holds", () => {
  const config = { "*": "allow", bash: { "*": "allow", "rm *": "deny", "git push *": "deny" } } as const
  test.each([
    "rm x",
    "rm",
    "/bin/rm x",
    "./rm x",
    "\\rm x",
    "r''m x",
    'r""m x',
    "'rm' x",
    "ls && rm x",
    "ls; rm x",
    "ls || rm x",
    "ls | rm x",
    "ls\nrm x",
    "git  push",
    "git 'push' origin",
    "env rm x",
    "sudo -u root /bin/rm x",
    "bash -c 'rm x'",
    "(rm x)",
    "if true; then rm x; fi",
    "X=1 rm x",
    "echo $(rm x)",
    "r\\\nm x",
  ])("%j", (line) => expect(verdict(line, config)).toBe("deny"))

  test.each(["ls", "git status", "rmdir x", "echo rm", "git pull && ls -la"])("and %j is still allowed", (line) => {
    expect(verdict(line, config)).toBe("allow")
  })
})

describe("an allow needs every part", () => {
  const config = { bash: { "*": "ask", "git status *": "allow", "ls *": "allow" } } as const
  test.each([
    ["git status", "allow"],
    ["git status && ls -la", "allow"],
    ["git status; make", "ask"],
    ["git status | sh", "ask"],
    ["git status > $(x)", "ask"],
    ["/tmp/git status", "ask"],
    ["'git status' x", "ask"],
    ["ls\nmake", "ask"],
    ["gits tatus", "ask"],
  ] as const)("%j is %s", (line, expected) => {
    expect(verdict(line, config)).toBe(expected)
  })
})

describe("paths", () => {
  test("arguments outside the worktree, by real path", () => {
    expect(outside("cat a.txt pkg/../a.txt ./a.txt")).toBeUndefined()
    expect(outside(`cat ${worktree}/a.txt`)).toBeUndefined()
    expect(outside("cat /etc/hostname")).toEqual(["/etc/*"])
    expect(outside("ls /etc")).toEqual(["/etc/*"])
    expect(outside("ls /")).toEqual(["/*"])
    expect(outside("cat ../w-evil/secret")).toEqual([`${root}/w-evil/*`])
    expect(outside(`cat ${root}/w-evil/secret`)).toEqual([`${root}/w-evil/*`])
    expect(outside("cat link/secret")).toEqual([`${root}/w-evil/*`])
    expect(outside("cat link")).toEqual([`${root}/w-evil/*`])
    expect(outside("cp a.txt dangling")).toEqual([`${root}/*`])
    expect(outside("cat pkg/../../w-evil/secret")).toEqual([`${root}/w-evil/*`])
    expect(outside("cat ~/x")).toEqual([`${home}/*`])
    expect(outside("cat '~/x'")).toBeUndefined()
    expect(outside("grep --file=/etc/passwd x")).toEqual(["/etc/*"])
    expect(outside("make -C../w-evil")).toEqual([`${root}/w-evil/*`])
    expect(outside("dd if=/dev/null of=/etc/x")).toEqual(["/etc/*"])
    expect(outside("ls ../*")).toEqual([`${root}/*`])
    expect(outside("ls */../../..")).toBeDefined()
    expect(outside("ls *.txt pkg/*")).toBeUndefined()
    expect(outside("../w-evil/run")).toEqual([`${root}/w-evil/*`])
    expect(outside("/usr/bin/git status")).toBeUndefined()
    expect(outside("curl https://example.com/a")).toBeUndefined()
    expect(outside("grep /x/y a.txt")).toBeUndefined()
    expect(outside("ls '..'")).toEqual([`${root}/*`])
  })

  test("cd is followed", () => {
    expect(outside("cd pkg && cat ../a.txt")).toBeUndefined()
    expect(outside("cat ../a.txt", join(worktree, "pkg"))).toBeUndefined()
    expect(outside("cd pkg && cat ../../x")).toEqual([`${root}/*`])
    expect(outside("cd pkg/deep && cd .. && cat ../a.txt")).toBeUndefined()
    expect(outside("cd /etc && ls")).toEqual(["/etc/*"])
    expect(outside("cd .. && ls w-evil")).toContain(`${root}/*`)
    expect(outside("cd && ls")).toEqual([`${home}/*`])
    expect(outside("cd; cat x")).toEqual([`${home}/*`])
    expect(outside("cd && cat x")).toEqual([`${home}/*`])
    expect(outside("cd link && cat secret")).toEqual([`${root}/w-evil/*`])
    // Whether the cd worked is not known: both places count.
    expect(outside("cd pkg; cat ../a.txt")).toEqual([`${root}/*`])
    expect(outside("cd pkg || cat ../a.txt")).toEqual([`${root}/*`])
    expect(outside("cd pkg && cd deep; cat ../../a.txt")).toContain(`${root}/*`)
    // A subshell, and what runs in the background, keeps its directory to itself.
    expect(outside("(cd pkg && cat ../a.txt) && cat a.txt")).toBeUndefined()
    expect(outside("(cd .. && ls) && cat a.txt")).toEqual([`${root}/*`])
    expect(outside("(cd pkg) && cat ../a.txt")).toEqual([`${root}/*`])
    expect(outside("cd pkg & cat ../a.txt")).toEqual([`${root}/*`])
    expect(outside("if cd pkg; then ls; fi; cat ../a.txt")).toEqual([`${root}/*`])
    expect(outside("{ cd pkg && ls; } && cat ../a.txt")).toBeUndefined()
    // In a pipe it is another shell's directory.
    expect(outside("cd pkg | cat; cat a.txt")).toBeUndefined()
  })

  test("redirects ask under the rules of files", () => {
    const [first, ...rest] = plan("make < pkg/in > out.txt 2>> 'err log'")
    expect(first!.patterns).toEqual(["make"])
    expect(rest.map((ask) => [ask.permission, ask.patterns])).toEqual([
      ["read", [join(worktree, "pkg/in")]],
      ["edit", [join(worktree, "out.txt")]],
      ["edit", [join(worktree, "err log")]],
    ])
    expect(verdict("echo x > src/a.ts", { "*": "allow", edit: "deny" })).toBe("deny")
    expect(verdict("echo x > src/a.ts", { "*": "allow", edit: { "src/*": "deny" } })).toBe("deny")
    expect(verdict("sort < .env", { "*": "allow", read: { "*.env": "ask" } })).toBe("ask")
  })

  test("a redirect that leaves the worktree, by a link too", () => {
    expect(plan("echo x > link/new").map((ask) => ask.permission)).toEqual(["bash", "external_directory", "edit"])
    expect(outside("echo x > /tmp/../etc/x")).toEqual(["/etc/*"])
    expect(outside("echo x > dangling")).toEqual([`${root}/*`])
    expect(outside("echo x &> ~/log")).toEqual([`${home}/*`])
  })

  test("a here-document into a file is a write, though the line is not plain", () => {
    const asks = plan("cat > src/a.ts <<'EOF'\nconst f = (a) => b > c\nEOF")
    expect(asks.map((ask) => [ask.permission, ask.patterns])).toEqual([
      ["bash", ["cat"]],
      ["edit", [join(worktree, "src/a.ts")]],
    ])
    expect(plan("cat <<EOF > ~/.bashrc\nx\nEOF").map((ask) => ask.permission)).toEqual([
      "bash",
      "external_directory",
      "edit",
    ])
  })

  test("a start-up file that is kept in the worktree by a link is protected there", async () => {
    await writeFile(join(worktree, "bashrc"), "")
    await symlink(join(worktree, "bashrc"), join(home, ".bashrc"))
    expect(bash("cp a.txt bashrc").mustAsk?.protected).toBe(true)
    await rm(join(home, ".bashrc"))
    await rm(join(worktree, "bashrc"))
  })

  test("protected paths ask whatever is allowed, once only", () => {
    for (const line of ["cp a.txt .git/hooks/pre-commit", "rm -rf .git/hooks", "tee .git/config", "touch cairn.json"]) {
      expect([line, bash(line).mustAsk?.protected, bash(line).always]).toEqual([line, true, []])
    }
    expect(plan("echo x >> .git/config").find((ask) => ask.permission === "edit")?.mustAsk?.protected).toBe(true)
    expect(plan(`echo x > ${home}/.bashrc`).find((ask) => ask.permission === "edit")?.mustAsk?.protected).toBe(true)
    expect(bash("cd .git && rm -rf hooks").mustAsk?.protected).toBe(true)
    expect(bash("touch Jenkinsfile").mustAsk?.protected).toBe(true)
    expect(bash("npm run build").mustAsk).toBeUndefined()
    expect(bash("cat .git/config").mustAsk).toBeUndefined()
    expect(bash("git status").mustAsk).toBeUndefined()
  })
})

describe("what may be approved for good", () => {
  test.each([
    ["git status", ["git status *"]],
    ["git status -s && npm run build -- --x", ["git status *", "npm run build *"]],
    ["docker compose up -d", ["docker compose up *"]],
    ["ls -la", ["ls *"]],
    ["python -m pytest -q", ["python -m pytest *"]],
    ["/usr/bin/git status", ["/usr/bin/git status *", "git status *"]],
    ["git --no-pager log", ["git --no-pager log"]],
    ["rm -rf build", ["rm -rf build"]],
    ["git push --force", ["git push --force"]],
    ["rm *.log", []],
    ["echo $(date)", ["date *", "echo *"]],
    ["timeout 5 npm test", ["npm test *"]],
    ["cd pkg && make", ["make *"]],
    ["$CMD x", []],
  ])("%j: %j", (line, always) => {
    expect(bash(line).always).toEqual(always)
  })

  test("what cannot be taken back is marked", () => {
    const destructive = (line: string) => bash(line).commands!.some((part) => part.destructive !== undefined)
    for (const line of [
      "rm x",
      "/bin/rm x",
      "git reset --hard",
      "git clean -fd",
      "git push -f",
      "ls && dd if=a of=b",
    ]) {
      expect([line, destructive(line)]).toEqual([line, true])
    }
    for (const line of ["ls", "git status", "git push", "git reset HEAD~1"])
      expect([line, destructive(line)]).toEqual([line, false])
  })
})

describe("for any text", () => {
  test("never throws, and never an empty plan", () => {
    const pieces = fc.constantFrom(
      "rm",
      "x",
      " ",
      "'",
      '"',
      "\\",
      "$",
      "(",
      ")",
      "`",
      "&&",
      "|",
      ";",
      "\n",
      ">",
      "<",
      "~",
      "*",
      "{",
      "}",
      "/",
      "..",
      "=",
      "#",
      "cd ",
      "😀",
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (parts) => {
        const asks = plan(parts.join(""))
        expect(asks[0]?.permission).toBe("bash")
        expect(asks[0]!.patterns.length > 0 || asks[0]!.opaque !== undefined).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test("quoted arguments come out as they went in", () => {
    const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { minLength: 1, maxLength: 5 }), (args) => {
        const ask = bash(`prog ${args.map(quote).join(" ")}`)
        fc.pre(ask.opaque === undefined)
        expect(ask.commands![0]!.named).toContain(["prog", ...args].join(" "))
      }),
    )
  })

  test("agrees with a real shell on plain words", () => {
    const word = fc.string({
      unit: fc.constantFrom("a", "b", " ", "'", '"', "\\", "$", "#", "é"),
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(word, (text) => {
        const ask = bash(`printf %s. ${text}`)
        fc.pre(
          ask.opaque === undefined &&
            ask.commands!.length === 1 &&
            !/[\ufffe\uffff]/.test(named(`printf %s. ${text}`).join("")) &&
            !text.includes("\n"),
        )
        const shell = Bun.spawnSync(["bash", "--norc", "-c", `printf '%s\\0' printf %s. ${text}`])
        const argv = shell.stdout.toString().split("\0").slice(0, -1)
        expect(ask.commands![0]!.named).toContain(argv.join(" "))
      }),
      { numRuns: 60 },
    )
  })
})
