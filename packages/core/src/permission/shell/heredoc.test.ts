import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { cutHeredocs, substitutionEnd } from "./heredoc.ts"

const cut = (line: string) => {
  const found = cutHeredocs(line)
  if (!found.ok) return found.error
  return [found.value.text, ...[...found.value.heredocs.values()].map(({ body, quoted }) => ({ body, quoted }))]
}

describe("here-documents", () => {
  test.each([
    ["cat <<A\nx\nA\nls", ["cat <_\n\nls", { body: "x\n", quoted: false }]],
    ["cat <<'A'\n$x\nA", ["cat <_\n", { body: "$x\n", quoted: true }]],
    ['cat <<"A B"\nx\nA B\nls', ["cat <_\n\nls", { body: "x\n", quoted: true }]],
    ["cat <<\\A\nx\nA", ["cat <_\n", { body: "x\n", quoted: true }]],
    ["cat <<-A\n\tx\n\tA\nls", ["cat <_\n\nls", { body: "x\n", quoted: false }]],
    ["cat <<A\nA \n A\nA\n", ["cat <_\n\n", { body: "A \n A\n", quoted: false }]],
    ["cat <<A <<B\nx\nA\ny\nB", ["cat <_ <_\n", { body: "x\n", quoted: false }, { body: "y\n", quoted: false }]],
    ["cat 3<<A && ls\nA", ["cat 3<_ && ls\n", { body: "", quoted: false }]],
    ['x "$(cat <<\'A\'\n)"\nA\n)"', ['x "$(cat <_\n\n)"', { body: ')"\n', quoted: true }]],
    ["cat <<< x", ["cat <<< x"]],
    ["echo '<<A'\nls", ["echo '<<A'\nls"]],
    ['echo "<<A"\nls', ['echo "<<A"\nls']],
    ["ls # <<A\nrm", ["ls # <<A\nrm"]],
    ["ls \\\n -la", ["ls  -la"]],
    ["echo 'a\\\nb'", ["echo 'a\\\nb'"]],
    ["# a \\\nrm", ["# a \\\nrm"]],
    ["echo $((1<<2))", ["echo $((1<<2))"]],
  ])("%j", (line, expected) => expect(cut(line)).toEqual(expected))

  test.each([
    ["cat <<A\nx", "unfinished"],
    ["cat <<A", "unfinished"],
    ["cat <<$x\nA", "plain delimiter"],
    ["cat <<\nA", "plain delimiter"],
    ["cat <<A\nx\\\nA\nls\nA", "joined end"],
    ["x $(cat <<A\nx\nA)\n", "in a bracket"],
    ["x $(cat <<A)\nx\nA", "unfinished"],
    ["cat <<A $(\nls)\nA", "around a substitution"],
    ['cat <<A "\n"\nA', "around a quote"],
    ["echo 'x", "open quote"],
    ['echo "x', "open quote"],
    ["echo $(ls", "open quote or bracket"],
    ["echo `ls", "open quote"],
    ["echo $'x\\'", "open quote"],
    ["x $(case a in a) ls;; esac)", "case statement"],
    ['echo "${x:-\'}"', "quote in an expansion"],
    ["$(".repeat(200), "too deep"],
    [`${"cat <<A\nA\n".repeat(101)}`, "too many"],
  ])("%j is not understood", (line, reason) => expect(cut(line)).toContain(reason))

  test("what is shown of a part is what stood there", () => {
    const line = "a \\\n b <<A; c <<'B' \"$(d)\"\nx\nA\ny\nB\ne \\\n f"
    const found = cutHeredocs(line)
    if (!found.ok) throw new Error(found.error)
    const { text, original } = found.value
    const shown = (part: string) => original(text.indexOf(part), text.indexOf(part) + part.length)
    expect(shown("a  b")).toBe("a \\\n b")
    expect(shown('"$(d)"')).toBe('"$(d)"')
    expect(shown("e  f")).toBe("e \\\n f")
    expect(original(0, text.length)).toBe(line)
  })

  test("for any text: nothing is lost but bodies and joined line ends, and time grows with the length", () => {
    const piece = fc.constantFrom(
      "a",
      " ",
      "'",
      '"',
      "\\",
      "\n",
      "$(",
      ")",
      "`",
      "<<A\n",
      "\nA\n",
      "#",
      "${",
      "}",
      "$'",
      "((",
      ";",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const line = pieces.join("")
        const found = cutHeredocs(line)
        if (found.ok && found.value.heredocs.size === 0)
          expect(found.value.text).toBe(withoutJoins(found.value.text, line))
      }),
    )
    // A quadratic scanner would not come back from these.
    for (const text of ["$(", "`", '"', "'", "<<A ", "${", "\\\n", "cat <<A\nA\n", "# x\n"])
      cutHeredocs(text.repeat(60_000))
  })
})

/** `line`, if taking joined line ends out of it gives `text`. */
function withoutJoins(text: string, line: string): string {
  let at = 0
  for (const char of text) {
    while (line[at] !== char && line.startsWith("\\\n", at)) at += 2
    if (line[at] !== char) return line
    at++
  }
  return text
}

test("the end of a substitution", () => {
  expect(substitutionEnd("$(ls) x", 2)).toBe(4)
  expect(substitutionEnd("$(ls \")\" ')' \\) $(a) (b)) x", 2)).toBe(24)
  expect(substitutionEnd("$(ls", 2)).toBeUndefined()
  expect(substitutionEnd("$(ls '", 2)).toBeUndefined()
})
