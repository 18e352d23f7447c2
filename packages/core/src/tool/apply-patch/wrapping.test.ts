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
])("%j with %j is refused", (before, after) => {
  expect(outcome(before, after)).toBe("parse")
})

test("a line of white space or words without end is refused at once", () => {
  for (const filler of [" ", "a", "'", "<"]) {
    expect(outcome(`bash -c${filler.repeat(200_000)}<`, "")).toBe("parse")
  }
})
