import { expect, test } from "bun:test"
import fc from "fast-check"
import { applyPatchToTexts } from "./apply-to-texts.ts"

type Files = Record<string, string>
const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")
const apply = (files: Files, ...lines: string[]) => {
  const done = applyPatchToTexts(patch(...lines), files)
  return done.ok ? done.value : `${done.error.kind}: ${done.error.message}`
}
const kind = (files: Files, ...lines: string[]) => {
  const done = applyPatchToTexts(patch(...lines), files)
  return done.ok ? "ok" : done.error.kind
}
const update = (content: string, ...lines: string[]) => {
  const done = apply({ f: content }, "*** Update File: f", ...lines)
  return typeof done === "string" ? done : done.f
}

test("add, update, move and delete at once", () => {
  const files = { "a.ts": "one\ntwo\n", "b.ts": "bye\n", "c.ts": "keep\nold\n" }
  expect(
    apply(
      files,
      "*** Add File: dir/new.ts",
      "+first",
      "+",
      "*** Update File: a.ts",
      "@@",
      " one",
      "-two",
      "+TWO",
      "*** Delete File: b.ts",
      "*** Update File: c.ts",
      "*** Move to: d.ts",
      " keep",
      "-old",
      "+new",
    ),
  ).toEqual({ "a.ts": "one\nTWO\n", "d.ts": "keep\nnew\n", "dir/new.ts": "first\n\n" })
})

test("a move alone changes only the name; an added file may be empty", () => {
  expect(apply({ a: "x" }, "*** Update File: a", "*** Move to: b", "*** Add File: e")).toEqual({ b: "x", e: "" })
})

test("the patch may stand in a fence or in a heredoc", () => {
  const bare = patch("*** Update File: f", "-a", "+b")
  for (const text of [
    `\`\`\`diff\n${bare}\n\`\`\``,
    `apply_patch <<'EOF'\n${bare}\nEOF`,
    `<<"PATCH"\n${bare}\nPATCH\n`,
    `cat <<'EOF'\n${bare}\nEOF`,
    `cat <<EOF | apply_patch\n${bare}\nEOF\n`,
    `\n${bare}\n\n`,
    bare.replaceAll("\n", "\r\n"),
  ]) {
    expect(applyPatchToTexts(text, { f: "a\n" })).toEqual({ ok: true, value: { f: "b\n" } })
  }
})

test("lines match exact first, then without trailing space, then trimmed, then without typography", () => {
  expect(update("a \nb\n", " a", "-b", "+c")).toBe("a \nc\n")
  expect(update("  a\n  b\n", " a", "-b", "+  c")).toBe("  a\n  c\n")
  expect(update("say “hi” – now…\nb\n", ' say "hi" - now...', "-b", "+c")).toBe("say “hi” – now…\nc\n")
  expect(update("  x\ny\nx\ny\n", " x", "-y", "+z")).toBe("  x\ny\nx\nz\n")
})

test("of several places the first one counts, within the strictest comparison that finds any", () => {
  expect(update("a \nb\na \nb\n", "@@", "-a", "+z")).toBe("z\nb\na \nb\n")
  expect(update(" x\ny\n  x\ny\n", " x", "-y", "+z")).toBe(" x\nz\n  x\ny\n")
  expect(update(" x\nx \nx \n", "-x", "+z")).toBe(" x\nz\nx \n")
  expect(update("“a”\n “a”\n", '- "a"', "+z")).toBe("z\n “a”\n")
  expect(update(" x\n x\n x\n", "-x", "+1", "@@", "-x", "+2")).toBe("1\n2\n x\n")
})

test("chunks go forward only, and each begins below the one before", () => {
  expect(update("x\na\nx\na\n", " x", "-a", "+1", "@@", " x", "-a", "+2")).toBe("x\n1\nx\n2\n")
  expect(update("a\nb\n", "-b", "+B", "@@", "-a", "+A")).toContain(
    "hunk 2 (line 5 of the patch) does not apply below line 2",
  )
  expect(update("a\nb\nc\n", " a", "-b", "+B", "@@", " a", "-b", "+B")).toContain("hunk 2")
})

test("@@ lines lead to the place, one after the other, and may be the first line themselves", () => {
  const content = "class A\n  def f\n    x\nclass B\n  def f\n    x\n"
  expect(update(content, "@@ class B", "@@   def f", "-    x", "+    y")).toBe(content.replace(/x\n$/, "y\n"))
  expect(update(content, "@@ class B", " class B", "   def f", "-    x", "+    y")).toBe(content.replace(/x\n$/, "y\n"))
  expect(update(content, "@@ -4,3 +4,3 @@ class B", "   def f", "-    x", "+    y")).toBe(
    content.replace(/x\n$/, "y\n"),
  )
  expect(update(content, "@@ class C", "-    x", "+    y")).toContain('the line of its @@ was not found: "class C"')
})

test("a nested @@ that matches but for white space is the first one below the outer", () => {
  const method = ["    def f(self):", "        x", ""]
  const content = ["class A:", ...method, "class B:", ...method, "class C:", ...method].join("\n")
  const changed = ["class A:", ...method, "class B:", "    def f(self):", "        y", "", "class C:", ...method].join(
    "\n",
  )
  expect(update(content, "@@ class B:", "@@ def f(self):", "-        x", "+        y")).toBe(changed)
})

test("the line of the @@ is the first line of the chunk only when nothing below it is", () => {
  expect(update("a\na\n", "@@ a", "-a", "+N")).toBe("a\nN\n")
  expect(update("d\nc\nd\n\n", "@@ d", "-d")).toBe("d\nc\n\n")
  expect(update("b\na\nc\n", "@@ a", "-a", "+N")).toBe("b\nN\nc\n")
  expect(update("b\na\nc\n", "@@ b", "@@ a", " a", "-c", "+N")).toBe("b\na\nN\n")
  expect(update("b\na\n", "@@ a", "-a", "+N", "*** End of File")).toBe("b\nN\n")
  expect(update("a\nb\n", "@@ b", "-a", "+N")).toContain("its lines were not found")
})

test("the end of the file", () => {
  expect(update("x\nmid\nx\n", "-x", "+last", "*** End of File")).toBe("x\nmid\nlast\n")
  expect(update("x\nmid\n", "-x", "+last", "*** End of File")).toContain("not found at the end of the file")
  expect(update("a\n", "+b", "*** End of File")).toBe("a\nb\n")
  expect(update("", "+b")).toBe("b\n")
})

test("line ends and the final one stay as the file has them", () => {
  expect(update("a\r\nb\r\n", " a", "-b", "+c", "+d")).toBe("a\r\nc\r\nd\r\n")
  expect(update("a\nb", " a", "-b", "+c", "+d")).toBe("a\nc\nd")
  expect(update("a\nb", " b", "+c")).toBe("a\nb\nc")
  expect(update("a\nb", " a", "-b")).toBe("a")
  expect(update("a\r\nb\nc\n", " a", "+x", " b", "+y")).toBe("a\r\nx\r\nb\ny\nc\n")
})

test("an unchanged empty line may have lost its space", () => {
  expect(update("a\n\nb\n", " a", "", "-b", "+c")).toBe("a\n\nc\n")
  expect(apply({ f: "a\n" }, "*** Update File: f", "-a", "+b", "", "*** Add File: g", "+x", "")).toEqual({
    f: "b\n",
    g: "x\n",
  })
})

test("the directory itself is named as the patch names it", () => {
  expect(apply({ a: "" }, "*** Delete File: .")).toBe(
    "directory: Line 2 of the patch: . is a directory. Nothing was written.",
  )
  expect(apply({ "d/a": "" }, "*** Delete File: d/..")).toContain(": d/.. is a directory.")
})

test("each kind of failure", () => {
  expect(kind({}, "*** Add File: a", "no plus")).toBe("parse")
  expect(kind({ a: "" }, "*** Add File: a", "+x")).toBe("exists")
  expect(kind({ a: "x", b: "y" }, "*** Update File: a", "*** Move to: b")).toBe("exists")
  expect(kind({}, "*** Update File: a", "-x", "+y")).toBe("missing")
  expect(kind({}, "*** Delete File: a")).toBe("missing")
  expect(kind({ "d/a": "x" }, "*** Delete File: d")).toBe("directory")
  expect(kind({ "d/a": "x" }, "*** Add File: d", "+x")).toBe("directory")
  expect(kind({ d: "x" }, "*** Add File: d/a", "+x")).toBe("directory")
  for (const path of ["../a", "/etc/passwd", "d/../../a", "a\0b"])
    expect(kind({}, `*** Add File: ${path}`, "+x")).toBe("outside")
  expect(kind({ a: "x\n" }, "*** Update File: a", "-y", "+z")).toBe("context")
})

test("a path that occurs twice is a conflict, in any spelling and role", () => {
  const files = { a: "x\n", b: "y\n" }
  expect(kind(files, "*** Delete File: a", "*** Add File: a", "+x")).toBe("conflict")
  expect(kind(files, "*** Update File: a", "-x", "+1", "*** Update File: ./a", "-1", "+2")).toBe("conflict")
  expect(kind(files, "*** Update File: a", "*** Move to: c", "*** Add File: d/../c", "+x")).toBe("conflict")
  expect(kind(files, "*** Add File: n", "+x", "*** Add File: n/m", "+x")).toBe("conflict")
})

test("what is no patch is a parse failure with its line", () => {
  const bad = (text: string) => {
    const done = applyPatchToTexts(text, { f: "a\n" })
    return done.ok ? "" : `${done.error.kind}: ${done.error.message}`
  }
  expect(bad("hello")).toContain(
    'parse: The patch could not be read: line 1: the patch must begin with "*** Begin Patch"',
  )
  expect(bad("*** Begin Patch\n*** Delete File: f")).toContain('must end with "*** End Patch"')
  expect(bad(patch())).toContain("changes no file")
  expect(bad(patch("*** Update File: f"))).toContain("changes nothing")
  expect(bad(patch("*** Update File: f", " a"))).toContain("neither adds nor removes")
  expect(bad(patch("*** Update File: f", "?a"))).toContain("line 3: a line of an update begins with")
  expect(bad(patch("*** Rename File: f"))).toContain("line 2: expected")
  expect(bad(`${patch("*** Delete File: f")}\nrm -rf /`)).toContain("unexpected text after")
  expect(bad(`please run\n${patch("*** Delete File: f")}`)).toContain("unexpected text before")
})

test("text that looks like a mark can be patched", () => {
  const content = "say:\n*** End Patch\n*** Delete File: g\n*** End of File\n"
  expect(update(content, " say:", " *** End Patch", "-*** Delete File: g", "+*** Add File: h")).toBe(
    content.replace("Delete File: g", "Add File: h"),
  )
  expect(apply({}, "*** Add File: f", "+*** End Patch", "+ *** End Patch")).toEqual({
    f: "*** End Patch\n *** End Patch\n",
  })
})

test("files and directories are told apart in linear work", () => {
  const work = (count: number) => {
    const counter = { comparisons: 0 }
    const names = Array.from({ length: count }, (_, index) => `d${index % 10}/f${index}`)
    const files = Object.fromEntries(names.map((name) => [name, "x"]))
    const added = names.flatMap((name) => [`*** Add File: ${name}.new`, "+y"])
    const done = applyPatchToTexts(patch(...added), files, counter)
    expect(done.ok && Object.keys(done.value)).toHaveLength(count * 2)
    return counter.comparisons
  }
  expect(work(500)).toBeGreaterThan(500)
  expect(work(5_000) / work(500)).toBeLessThan(10.5)
})

test("a directory is one at any depth, and its name as the start of another is none", () => {
  const files = { "a/b/c/f": "x", "ab/f": "y" }
  for (const path of ["a", "a/b", "a/b/c", "ab"]) expect(kind(files, `*** Add File: ${path}`, "+x")).toBe("directory")
  for (const path of ["abc", "a/bc", "a/b/c/g"]) expect(kind(files, `*** Add File: ${path}`, "+x")).toBe("ok")
})

test("a failure in one file leaves all as they were, and shows the nearest text", () => {
  const files = { a: "one\n", b: "const value = 1\nconst other = 2\n" }
  const before = structuredClone(files)
  const done = apply(
    files,
    "*** Update File: a",
    "-one",
    "+two",
    "*** Update File: b",
    " const value = 9",
    "-const other = 2",
    "+x",
  )
  expect(done).toContain("b: hunk 1 (line 6 of the patch)")
  expect(done).toContain("1\tconst value = 1")
  expect(files).toEqual(before)
})

const line = fc.constantFrom("a", "b", "  c", "", "d ", "“e”", "+f", "-g", "@@ h")
const text = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 14 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, end, last]) => ({ lines, end, last }))

test("a patch and its inverse are the identity", () => {
  let applied = 0
  fc.assert(
    fc.property(
      text,
      fc.array(line, { maxLength: 4 }),
      fc.nat(13),
      fc.nat(4),
      ({ lines, end, last }, fresh, at, count) => {
        const from = at % lines.length
        const old = lines.slice(from, from + count)
        if (old.length === 0 && fresh.length === 0) return
        const after = [...lines.slice(0, from), ...fresh, ...lines.slice(from + old.length)]
        if (after.length === 0) return
        const chunk = (minus: readonly string[], plus: readonly string[]) => [
          ...lines.slice(0, from).map((value) => ` ${value}`),
          ...minus.map((value) => `-${value}`),
          ...plus.map((value) => `+${value}`),
          ...lines.slice(from + old.length).map((value) => ` ${value}`),
          "*** End of File",
        ]
        const joined = (values: readonly string[]) => values.join(end) + (last ? end : "")
        // A text whose last line is empty and has no end is the same text as one with a line less.
        if (!last && (lines.at(-1) === "" || after.at(-1) === "")) return
        // One line without its end does not tell what ends lines in this file.
        if (!last && Math.min(lines.length, after.length) === 1) return
        const content = joined(lines)
        const there = update(content, ...chunk(old, fresh))
        expect(there).toBe(joined(after))
        expect(update(there ?? "", ...chunk(fresh, old))).toBe(content)
        applied++
      },
    ),
    { numRuns: 500 },
  )
  expect(applied).toBeGreaterThan(150)
})

test("lines that are not in the patch never change", () => {
  fc.assert(
    fc.property(
      text,
      fc.array(fc.tuple(fc.constantFrom(" ", "-", "+"), line), { maxLength: 6 }),
      ({ lines, end, last }, chunk) => {
        const content = lines.join(end) + (last ? end : "")
        const done = applyPatchToTexts(patch("*** Update File: f", ...chunk.map(([sign, value]) => sign + value)), {
          f: content,
          g: "other",
        })
        if (!done.ok) return expect(["parse", "context"]).toContain(done.error.kind)
        expect(done.value.g).toBe("other")
        const removed = chunk.filter(([sign]) => sign === "-").length
        const added = chunk.filter(([sign]) => sign === "+").length
        const count = (value: string) => value.split(/\r?\n/).length - (value.endsWith("\n") || value === "" ? 1 : 0)
        if (last) expect(count(done.value.f ?? "")).toBe(count(content) - removed + added)
      },
    ),
    { numRuns: 500 },
  )
})

test("any text is read or refused, never thrown at", () => {
  const piece = fc.constantFrom(
    "*** Begin Patch",
    "*** End Patch",
    "*** Add File: a",
    "*** Update File: f",
    "*** Move to: b",
    "@@",
    "@@ x",
    "+a",
    "-a",
    " a",
    "",
    "*** End of File",
    "```",
    "EOF",
    "?",
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const files = { f: "a\n" }
      const done = applyPatchToTexts(pieces.join("\n"), files)
      if (!done.ok) expect(done.error.message).toContain("Nothing was written")
      expect(files).toEqual({ f: "a\n" })
    }),
    { numRuns: 1_000 },
  )
})
