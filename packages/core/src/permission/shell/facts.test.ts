import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { shellFacts } from "./facts.ts"
import { loadBashParser } from "./parser.ts"
import type { Parse } from "./syntax.ts"

const parse = await loadBashParser()
const context = { cwd: "/w", home: "/h", environmentNames: ["HOME", "PATH", "USER"] }
const facts = (line: string) => shellFacts(parse, line, context)
const argvs = (line: string) => facts(line).invocations.map(({ argv }) => argv.join(" "))

test("one invocation, whole", () => {
  const [one] = facts("cd sub && A=1 B=\"$A\" timeout 5 /usr/bin/git 'push' --force > log 2>&1").invocations.slice(1)
  expect(one).toMatchObject({
    text: "timeout 5 /usr/bin/git 'push' --force",
    argv: ["/usr/bin/git", "push", "--force"],
    executable: "/usr/bin/git",
    basename: "git",
    cwd: "/w/sub",
    at: ["/w/sub"],
    env: { A: "1", B: "1" },
    dynamic: false,
    destructive: "commits of the other side are gone",
    named: ["/usr/bin/git 'push' --force", "/usr/bin/git push --force", "git push --force"],
    free: false,
  })
  expect(one!.also).toContain("timeout 5 /usr/bin/git push --force")
  expect(one!.redirects.map(({ kind, target }) => [kind, target.value])).toEqual([["write", "log"]])
})

describe("what runs", () => {
  test.each([
    ["a; b && c || d & e | f", ["a", "b", "c", "d", "e", "f"]],
    ["(a; b) && { c; }", ["a", "b", "c"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["for x in 1 2; do echo $x; done", ["echo 1", "echo 2"]],
    ["for x in *.ts; do echo $x; done", ["echo *.ts"]],
    ["for ((i=0;i<3;i++)); do a; done", ["a"]],
    ["case x in a) b ;; *) c ;; esac", ["b", "c"]],
    ["f() { echo $1 $2; }; f a b", ["echo $1 $2", "echo a b", "f a b"]],
    ["echo $(a `b`) <(c)", ["b", "a `b`", "c", "echo $(a `b`) <(c)"]],
    ["cat <<X\n$(a) `b`\nX", ["a", "b", "cat"]],
    ["[[ $(a) == b ]] && c", ["a", "[[ $(a)", "c"]],
    ["x=$(a) y=b", ["a"]],
    ["x=a y=$x; $y", ["a"]],
    ["echo {a,b}{1,2} {3..1} {a..c}", ["echo a1 a2 b1 b2 3 2 1 a b c"]],
    ["echo a{b,c", ["echo a{b,c"]],
    ['echo "$@" $* x', ["echo x"]],
    ["echo $HOME ~ \"~\" '$HOME'", ["echo /h ~ ~ $HOME"]],
    ["x='a  b'; echo $x \"$x\"", ["echo a b a  b"]],
    ["echo $'a\\tb\\x41\\u00e9'", ["echo a\tbAé"]],
    ["bash -c 'echo $0 $1' a b", ["bash -c echo $0 $1 a b", "echo $0 b"]],
    ["env A=1 nice time b c", ["b c"]],
    ["find . -exec a {} \\; -o -exec b {} +", ["find . -exec a {} ; -o -exec b {} +", "a {}", "b {}"]],
    ["xargs -n1 a b", ["a b …"]],
    ["sudo -u x a b", ["sudo -u x a b", "a b"]],
    ["a | xargs", ["a", "echo …"]],
    ["echo $(pwd)/x $(echo y)", ["pwd", "echo y", "echo /w/x y"]],
    ["x=1; x+=2; echo $x", ["echo 12"]],
    ["export X=1; echo $X", ["export X=1", "echo 1"]],
    ["echo ${X:-a} ${USER:-b}", ["echo a ${USER:-b}"]],
    ["trap 'a b' EXIT", ["a b", "trap a b EXIT"]],
  ])("%j", (line, expected) => {
    expect(argvs(line)).toEqual(expected)
    expect(facts(line).opaque).toBeUndefined()
  })
})

describe("paths", () => {
  test.each([
    ["cat a b > c", ["/w/a", "/w/b"], ["/w/c"], []],
    ["cp a ../b", ["/w/a"], ["/b"], ["/b"]],
    ["cd sub && cat x", ["/w/sub/x"], [], []],
    ["cd /etc; cat x", ["/etc/x", "/w/x"], [], ["/etc/x", "/etc"]],
    ["cat ~/x < in", ["/h/x", "/w/in"], [], ["/h/x"]],
    ["rm -rf a/*.o", [], ["/w/a/*.o"], []],
    ["find src -exec grep x {} +", ["/w/src"], [], []],
    ["git ls-files | xargs cat", ["/w"], [], []],
    ["for f in a b; do cat $f; done", ["/w/a", "/w/b"], [], []],
    ["{ a; } > out", [], ["/w/out"], []],
    ["rm $X$USER", [], ["/w/…"], []],
  ])("%j", (line, reads, writes, outside) => {
    expect(facts(line)).toMatchObject({ reads, writes, outside })
  })
})

describe("bounds", () => {
  const many: readonly (readonly [string, (count: number) => string])[] = [
    ["brackets", (count) => "(".repeat(count)],
    ["closed brackets", (count) => `${"(".repeat(count)}ls${")".repeat(count)}`],
    ["substitutions", (count) => `${"$(".repeat(count)}ls${")".repeat(count)}`],
    ["backticks", (count) => "`".repeat(count)],
    ["quotes", (count) => "'\"".repeat(count)],
    ["pipes", (count) => "a|".repeat(count)],
    ["angles", (count) => "<".repeat(count)],
    ["functions", (count) => "f()".repeat(count)],
    ["here-documents", (count) => "cat <<A ".repeat(count)],
    ["braces", (count) => `echo ${"{a,b}".repeat(count)}`],
    ["open braces", (count) => `echo ${"{".repeat(count)}`],
    ["expansions", (count) => "${".repeat(count)],
    ["lists", (count) => "a;".repeat(count)],
    ["words", (count) => `echo ${"x ".repeat(count)}`],
    ["assignments", (count) => "a=b;".repeat(count)],
    ["shells", (count) => "bash -c '".repeat(count)],
    ["wrappers", (count) => `${"env ".repeat(count)}ls`],
    ["ranges", () => "echo {1..999999999}"],
    ["functions that call themselves", () => "f() { f; f; }; f"],
    [
      "functions that call each other",
      (count) => Array.from({ length: count % 1000 }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }`).join(";"),
    ],
    ["loops in loops", (count) => `${"for a in 1 2 3 4 5; do ".repeat(count % 50)}ls${"; done".repeat(count % 50)}`],
  ]
  test.each(many.map(([name, make]) => [name, make] as const))("%s", (_, make) => {
    let parsed = 0
    const counting: Parse = (text) => {
      parsed++
      return parse(text)
    }
    for (const count of [30, 1000, 10_000]) {
      const line = make(count)
      const found = shellFacts(counting, line, context)
      expect(found.invocations.length).toBeLessThanOrEqual(1000)
      if (count === 10_000 && line.length > 20_000) expect(found.opaque).toBeString()
    }
    expect(parsed).toBeLessThan(100)
  })

  test("a line of 1 MB, and of one word too long", () => {
    expect(facts("x".repeat(1_000_000)).opaque).toContain("64 kB")
    expect(facts(`echo ${"x".repeat(60_000)}`).opaque).toBeUndefined()
  })

  test.each([
    ["ls\0", "NUL"],
    ["ls \ud800", "Unicode"],
    ["ls \uffff", "Unicode"],
    ["ls \u202e x", "direction"],
    ["ls \u2066 x", "direction"],
    ["ls\rrm x", "syntax that is not understood|control"],
    ["l\u200bs", "hidden"],
    ["ls\u001b[31m", "control"],
    ["ls\u0085x", "control|syntax"],
    ["", "nothing to run"],
    ["# x", "nothing to run"],
    ["{}", "an empty block"],
    ["f(){ {}; }", "an empty block"],
  ])("%j is said to be odd", (line, reason) => expect(facts(line).opaque).toMatch(new RegExp(reason)))

  test("a look-alike is another program", () => {
    for (const line of ["гm x", "ｒm x", "rm\u00a0x"]) {
      const [one] = facts(line).invocations
      expect(one?.named ?? []).not.toContain("rm x")
    }
  })

  test("never throws, and says something of everything", () => {
    const piece = fc.constantFrom(
      ...[
        "a",
        "rm",
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
        "[",
        "]",
      ],
      ...[
        "[[",
        "]]",
        "((",
        "))",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case ",
        "esac",
        "$x",
        "${x",
        "x=",
        "<<A\n",
        "A\n",
        "#",
        "!",
        "é",
        "\u202e",
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const found = facts(pieces.join(""))
        const said = found.invocations.length + found.redirects.length + (found.opaque === undefined ? 0 : 1)
        expect(said > 0 || /=|\(\(|<|>|\(\)/.test(pieces.join(""))).toBe(true)
      }),
      { numRuns: 1500 },
    )
  })
})
