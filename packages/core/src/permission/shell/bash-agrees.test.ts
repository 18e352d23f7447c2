import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { chmod, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { shellFacts } from "./facts.ts"
import { loadBashParser } from "./parser.ts"
import type { Word } from "./syntax.ts"

const parse = await loadBashParser()
let root = ""

/** Programs that do nothing but write down how they were called; there are no others in the PATH of these tests. */
const recorder = `#!/bin/sh
printf '%s\\037' "\${0##*/}" "$@" end >> "$RECORD"
[ "\${0##*/}" = b ] && exit 1
printf rm
exit 0
`
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-agrees-")))
  mkdirSync(join(root, "bin"))
  for (const name of ["rm", "a", "b", "ls"]) {
    await writeFile(join(root, "bin", name), recorder)
    await chmod(join(root, "bin", name), 0o755)
  }
  for (const name of ["env", "bash", "xargs"]) {
    const path = Bun.which(name)
    if (path) await symlink(path, join(root, "bin", name))
  }
})
afterAll(() => rm(root, { recursive: true, force: true }))

const pieces = [
  ...[
    "rm",
    "a",
    "b",
    "x",
    "$x",
    '"$x"',
    "${x}",
    "'q r'",
    '"q $x"',
    "\\ ",
    "\\'",
    "$'\\x72m'",
    "$(a)",
    '"$(a b)"',
    "`a`",
  ],
  ...["{a,rm}", "*", "g", "#", "=", "-x", "${x:-rm}", "${y:-a b}", "${#x}", "$((1+2))", "$1", '"$@"', "!", "[", "]"],
  ...["\\\n", "$'\\''", '"\'"', "'\"'", '"\\""', "${x#r}", '"${x%m}"', "<(a)", "$", "%", ",", "a{b,c}d", "\\\\", "''"],
  ...['""', "$nothing", "${nothing}rm", '"`a`"', "\"$'a'\"", "#a", "a#", "\\#", "}", "{", '"{a,b}"', "1..3", "{1..3}"],
]
const word = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((some) => some.join(""))
const name = fc.constantFrom(
  ...["rm", "a", "b", "ls", "\\rm", "r''m", "$x", '"a"', "env rm", "command a", "env A=1 b", "time a", "x=rm a"],
  ...["exec a", "xargs a", "{a,rm}", "${nothing}rm"],
)
const redirect = fc.constantFrom(
  ...["", "", " >g", " <g", " 2>&1", " <<<$x", " >>g rm"],
  ...[" <<A\nq $(a) $x\nA\n", " <<'A'\n$(rm)\nA\n", " <<-A <<B\n\ta\n\tA\n$(b)\nB\n"],
)
const simple = fc
  .tuple(name, fc.array(word, { maxLength: 3 }), redirect)
  .map(([first, words, rest]) => [first, ...words].join(" ") + rest)
const assignment = fc.constantFrom(
  ...["x=rm", "x=a", "x='a b'", "x=$(a)", "y=$x", "x+=m", "unset x", "export x=rm", "set -- a rm", "shift", "x="],
  ...["read x <g", "printf -v x a", "set --", "x={a,b}", "x=*", 'x="a;rm"', "declare x=rm", "x=a#b", "x=$'a\\nb'"],
)
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const { line } = fc.letrec<{ line: string }>((tie) => {
  const inner = tie("line")
  const around = (make: (text: string) => string) => inner.map(make)
  return {
    line: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      simple,
      assignment,
      fc
        .tuple(inner, fc.constantFrom("; ", " && ", " || ", " | ", "\n", " |& "), inner)
        .map(([left, joint, right]) => left + joint + right),
      around((text) => `(${text})`),
      around((text) => `{ ${text}\n}`),
      around((text) => `if ${text}\nthen a; else rm; fi`),
      around((text) => `for x in a rm; do ${text}\ndone`),
      around((text) => `ls "$(${text}\n)"`),
      around((text) => `! ${text}`),
      around((text) => `case $x in a) ${text}\n;; *) b;; esac`),
      around((text) => `bash -c ${quoted(text)}`),
      around((text) => `a # don't ${text.split("\n")[0]}\n${text}`),
      around((text) => `trap ${quoted(text)} EXIT`),
      around((text) => `f() { ${text}\n}; f rm a`),
    ),
  }
})

/** Could these words, with their holes and patterns, have become the arguments? */
function fits(words: readonly Word[], argv: readonly string[]): boolean {
  const parts = words.map((one) => {
    const text = [...one.value]
      .map((char) => {
        if (char === "\uffff" || char === "\ufffe") return "[\\s\\S]*"
        return one.glob && char === "*" ? "[^/]*" : char.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")
      })
      .join("")
    return one.many ? `(?:${text})?` : text
  })
  const pattern = new RegExp(`^${parts.join("\x1f?")}$`)
  return pattern.test(argv.join("\x1f")) || pattern.test(argv.join(""))
}

test("whatever bash starts stands in the facts, or the line is not known", () => {
  const places = { cwd: join(root, "cwd"), home: root }
  const environmentNames = ["PATH", "HOME", "PWD", "RECORD"]
  let ran = 0
  fc.assert(
    fc.property(line, (text) => {
      const facts = shellFacts(parse, text, { ...places, environmentNames })
      if (facts.opaque !== undefined) return
      const record = join(root, `record-${ran++}`)
      rmSync(places.cwd, { recursive: true, force: true })
      mkdirSync(places.cwd)
      writeFileSync(join(places.cwd, "g"), "a b\n")
      Bun.spawnSync(["/bin/bash", "--norc", "-c", 'ulimit -t 2 -f 200; exec /bin/bash -c -- "$0"', text], {
        cwd: places.cwd,
        env: { PATH: join(root, "bin"), HOME: root, RECORD: record },
        timeout: 5000,
        stdio: ["ignore", "ignore", "ignore"],
      })
      const calls = existsSync(record) ? readFileSync(record, "utf8").split("\x1fend\x1f") : []
      for (const call of calls.filter((one) => one !== "")) {
        const argv = call.split("\x1f")
        const found = facts.invocations.some(({ words }) => fits(words, argv))
        expect([text, argv, found]).toEqual([text, argv, true])
      }
    }),
    { numRuns: 120, seed: 5 },
  )
  expect(ran).toBeGreaterThan(50)
}, 60_000)
