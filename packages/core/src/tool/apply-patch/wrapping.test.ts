import { expect, test } from "bun:test"
import { applyPatchToTexts } from "./apply-to-texts.ts"

const bare = "*** Begin Patch\n*** Update File: f\n-a\n+b\n*** End Patch"
const outcome = (before: string, after: string) => {
  const done = applyPatchToTexts(`${before}\n${bare}\n${after}`, { f: "a\n" })
  return done.ok ? done.value.f : done.error.kind
}

test.each([
  ["~~~diff", "~~~"],
  ["~~~", "~~~\n"],
  [`bash -lc "apply_patch <<'EOF'`, `EOF"`],
  [`bash -lc "apply_patch <<'EOF'`, `EOF\n"`],
  [`bash -c 'applypatch <<"PATCH"`, `PATCH'`],
  [`sh -c "cat <<EOF | apply_patch`, `EOF"\n`],
  [`  zsh -lc " <<-'EOF'`, `  EOF"`],
  [`bash -lc apply_patch <<EOF`, `EOF`],
  ["````", "````"],
  ["`````diff", "`````"],
  ["~~~~~~", "~~~~~~"],
  [`apply_patch <<'END OF PATCH'`, "END OF PATCH"],
  [`cat <<"END OF PATCH" | apply_patch`, "END OF PATCH"],
  [`bash -lc "apply_patch <<'END OF PATCH'`, `END OF PATCH"`],
  [`bash -lc 'apply_patch <<"END OF PATCH"`, `END OF PATCH\n'`],
  [`bash -lc apply_patch <<'END OF PATCH'`, `END OF PATCH`],
  [`apply_patch "`, `"`],
  [`  applypatch '`, `'\n`],
  ["```sh\n" + `bash -lc "apply_patch <<'EOF'`, `EOF"\n` + "```"],
])("%j is a wrapping that %j closes", (before, after) => {
  expect(outcome(before, after)).toBe("b\n")
})

test.each([
  [`bash -lc "apply_patch <<'EOF'`, `EOF'`],
  [`bash -lc "apply_patch <<'EOF'`, `END"`],
  [`bash -lc "apply_patch <<'EOF'`, `EOF" && rm -rf x`],
  [`bash -lc "apply_patch <<'EOF'`, `EOF\nrm x"`],
  [`bash -lc apply_patch <<EOF`, `EOF"`],
  ["apply_patch <<EOF", `EOF"`],
  [`bash -lc "cd x && apply_patch <<'EOF'`, `EOF"`],
  [`bash -lc "rm <<'EOF'`, `EOF"`],
  [`bash -x "apply_patch <<'EOF'`, `EOF"`],
  [`bash -lc "apply_patch <<'EOF"`, `EOF"`],
  [`["apply_patch", "`, `"]`],
  ["", `"`],
  [`apply_patch "`, `'`],
  [`apply_patch "`, `"; rm x`],
  [`apply_patch <<'END OF PATCH'`, "END OF"],
  [`apply_patch <<'END'`, "END OF"],
  ["````", "rm x"],
])("%j with %j is refused", (before, after) => {
  expect(outcome(before, after)).toBe("parse")
})

const around = (before: string, after: string, body = "-a\n+b") => {
  const text = `${before}*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch${after}`
  const done = applyPatchToTexts(text, { f: "a\n" })
  return done.ok ? done.value.f : done.error.kind
}

test("the quotes of a command line may stand on the lines of the marks", () => {
  expect(around('apply_patch "', '"')).toBe("b\n")
  expect(around("apply_patch '", "'\n")).toBe("b\n")
  expect(around('apply_patch "', '\n"')).toBe("b\n")
  expect(around('apply_patch "\n', '"')).toBe("b\n")
  expect(around('```\napply_patch "', '"\n```')).toBe("b\n")
  expect(around('apply_patch "', "'")).toBe("parse")
  expect(around("", '"')).toBe("parse")
})

test("within such quotes the text counts as it stands; escaped for a shell it is refused, since it may mean either", () => {
  expect(around('apply_patch "', '"', '-a\n+say("b\\n")')).toBe('say("b\\n")\n')
  expect(around('apply_patch "', '"', '-a\n+say(\\"b\\")')).toBe("parse")
  expect(around("apply_patch '", "'", "-a\n+don't")).toBe("don't\n")
  expect(around("apply_patch '", "'", "-a\n+don'\\''t")).toBe("parse")
  expect(around("apply_patch '", "'", '-a\n+say(\\"b\\")')).toBe('say(\\"b\\")\n')
})

test("blanks before the first mark, and then before the last", () => {
  expect(around("  ", "")).toBe("b\n")
  expect(around("\n\t", "\n")).toBe("b\n")
  const indented = "  *** Begin Patch\n*** Update File: f\n-a\n+b\n  *** End Patch\n"
  expect(applyPatchToTexts(indented, { f: "a\n" })).toEqual({ ok: true, value: { f: "b\n" } })
  const content = "  *** Begin Patch\n*** Update File: f\n  *** End Patch\n-a\n+b\n*** End Patch\n"
  expect(applyPatchToTexts(content, { f: " *** End Patch\na\n" })).toMatchObject({ ok: true })
})

test("a line of white space or words without end is refused at once", () => {
  for (const filler of [" ", "a", "'", "<"]) {
    expect(outcome(`bash -c${filler.repeat(200_000)}<`, "")).toBe("parse")
    expect(outcome(`apply_patch${filler.repeat(200_000)}*`, "")).toBe("parse")
    expect(outcome(`<<'${filler.repeat(200_000)}`, "")).toBe("parse")
  }
})
