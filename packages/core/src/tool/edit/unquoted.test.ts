import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { applyEdit } from "./match.ts"

const outcome = (content: string, oldString: string) => {
  const done = applyEdit(content, { oldString, newString: "zz" })
  return done.ok ? done.value.strategy : done.error.kind
}

describe("white space inside a literal that has no quotes of its own, or holds bare ones, is refused", () => {
  test.each([
    ["shell", "cat <<EOF\na  b\nEOF\n", "a b\n"],
    ["shell, from above", "cat <<EOF\na  b\nEOF\n", "cat <<EOF\na b\nEOF\n"],
    ["shell, a trailing space", "cat <<EOF\na  \nb\nEOF\n", "a\nb"],
    ["shell, a blank line", "cat <<EOF\na\n  \nb\nEOF\n", "a\n\nb"],
    ["shell, with tabs and a quoted word", "cat <<-'EOF'\n\ta  b\n\tEOF\n", "\ta b"],
    ["shell, a blank before the word", "cat << EOF > file\na  b\nEOF\n", "a b"],
    ["shell, a blank before a word in small letters", "cat << eof\na  b\neof\n", "a b"],
    ["shell, a word like a variable", "cat <<$X\na  b\n$X\n", "a b"],
    ["SQL $$", "do $$\n  a  b\n$$;\n", "  a b"],
    ["SQL $tag$", "create function f() as $body$\n  a  b $$\n$body$;\n", "  a b $$"],
    ["Perl qq()", "my $x = qq(a  b);\n", "my $x = qq(a b);"],
    ["Perl q{}, over several lines", "my $x = q{\n  a  {b}\n};\n", "  a {b}"],
    ["Perl qw()", "use X qw(a  b);\n", "use X qw(a b);"],
    ["shell, a word of several words", "cat <<'END OF'\na  b\nEND OF\n", "a b"],
    ["shell, an escaped word", "cat <<\\EOF\na  b\nEOF\n", "a b"],
    ["shell, the second of two", "cat <<A <<B\na\nA\nb  c\nB\n", "b c"],
    ["shell, the word within a line", "cat <<EOF\nnot EOF\na  b\nEOF\n", "a b"],
    ["shell, in YAML", "run: |\n  cat <<EOF\n  a  b\n  EOF\n", "  a b"],
    ["Ruby", "x = <<~EOS\n  a  b\nEOS\n", "  a b"],
    ["Ruby, with a call", "x = <<~EOS.strip\n  a  b\n  EOS\n", "  a b"],
    ["Ruby %q()", "x = %q(a  b)\n", "x = %q(a b)"],
    ["Ruby %()", "x = %(a  b)\n", "x = %(a b)"],
    ["Ruby %q(), nested and over several lines", "x = %q(\n  a (b)\n  (c  d)\n)\n", "  (c d)\n"],
    ["Ruby %w[]", "x = %w[a  b]\n", "x = %w[a b]"],
    ["Ruby %Q||", "x = %Q|a  b|\n", "x = %Q|a b|"],
    ["PHP", "$x = <<<'X'\na  b\nX;\n", "a b"],
    ["PHP, the ending within an expression", "$x = <<<X\na  b\n  X . 'c';\n", "a b"],
    ["PHP, as an argument", 'f(<<<"X"\na  b\nX, 1);\n', "a b"],
    ["Lua", "x = [[a  b]]\n", "x = [[a b]]"],
    ["Lua, over several lines", "x = [[\na  b\n]]\n", "a b"],
    ["Lua, with a level", "x = [==[\na  b ]]\nc  d\n]==]\n", "c d"],
    ["Lua, as an argument of its own line", "f(\n[[ a  b ]]\n)\n", "[[ a b ]]"],
    ["Lua, behind a name", "vim.cmd[[set  x]]\n", "vim.cmd[[set x]]"],
    ["Lua, a sentence with commas", "x = [[a, it's  b don't]]\n", "x = [[a, it's b don't]]"],
    ["Ruby %() behind a command", "puts %(a  b)\n", "puts %(a b)"],
    ["Ruby %() as a value of its own line", "def a\n  %(a  b)\nend\n", "  %(a b)"],
    ["shell, within a script that is indented", "if a\n    cat <<EOF\n  a  b\n  EOF\n", "  a b"],
    ["YAML, below braces", "a: {b: 1}\nk: |\n  a  b\n", "  a b"],
    ["YAML |", "k: |\n  a  b\nj: 1\n", "  a b"],
    ["YAML >-", "k: >-\n  a\n\n  b  c\nj: 1\n", "  b c"],
    ["YAML, an entry", "- |\n  a  b\n- c\n", "  a b"],
    ["YAML, an entry with a key", "a:\n  - k: |\n      a  b\n    j: 1\n", "      a b"],
    ["YAML, with an indentation and a comment", "k: |2 # c\n    a  b\n", "    a b"],
    ["YAML, with an anchor and a tag", "k: &x !!str |+\n  a  b\n", "  a b"],
    ["YAML, a document", "--- |\na  b\n", "a b"],
    ["C++", 'x = R"x(\na  "b\n)x";\n', 'a "b\n'],
    ["C++, on one line", 'f(R"(a  b)");\n', 'f(R"(a b)");'],
    ["Rust, a bare quote", 'let s = r##"5" pipe  alpha\nz"##;\n', 'let s = r##"5" pipe alpha'],
    ["Rust, a bare quote on the line above", 'let q = r#"select "id\nfrom  t"#;\n', 'from t"#;\n'],
    ["Rust, a bare quote before the end", 'v = r#"x\nsay  "hi"#;\n', 'say "hi"#;\n'],
    ["Rust, bytes", 'v = br#"5" a  b"#;\n', 'v = br#"5" a b"#;'],
  ])("%s", (_, content, oldString) => {
    expect(outcome(content, oldString)).toBe("refused")
  })

  test("wherever it stands, between whatever", () => {
    const kinds = fc.constantFrom(
      ["cat <<EOF", "EOF"],
      ["x = <<~SQL", "SQL"],
      ["$x = <<<'T'", "T;"],
      ["x = %q(", ")"],
      ["x = [[", "]]"],
      ["x = [=[", "]=]"],
      ['x = r#"', '"#;'],
      ['x = R"a(', ')a";'],
    )
    const plain = fc.constantFrom("a = 1", "b('x')", "// don't", "# it`s", 'c("y")', "", "d(1, [2])", "if x << y {")
    const inner = fc.constantFrom("one", "it's", 'say "hi', "`", "", "(two)", "a << b")
    const input = fc.tuple(fc.array(plain, { maxLength: 5 }), kinds, fc.array(inner, { maxLength: 3 }))
    fc.assert(
      fc.property(input, fc.array(plain, { maxLength: 3 }), fc.boolean(), ([above, kind, body], below, trailing) => {
        const line = (gap: string) => (trailing ? `unique${gap === "" ? "" : "  "}` : `unique ${gap}line`)
        const all = (gap: string) => [...above, kind[0], ...body, line(gap), ...body, kind[1], ...below].join("\n")
        expect(outcome(all(" "), `${line("")}\n`)).toBe("refused")
        expect(outcome(all(" "), all(""))).toBe("refused")
      }),
      { numRuns: 400 },
    )
  })
})

describe("outside of such a literal, and in what only looks like one, it is passed over", () => {
  test.each([
    ["a list of lists", "x = [[1,  2], [3, 4]]\n", "x = [[1, 2], [3, 4]]"],
    ["a list of lists over several lines", "x = [[1, 2],\n  [3,  4]]\n", "  [3, 4]]"],
    ["between two lists", "m = [[a, b]]\nz  = 1\nm = [[c]]\n", "z = 1"],
    ["a test of the shell", "if [[ -n  $x ]]; then\n", "if [[ -n $x ]]; then"],
    ["a test that begins a line", "[[ $a ==  $b ]] && echo\n", "[[ $a == $b ]] && echo"],
    ["after a here-document", "cat <<EOF\na\nEOF\nx  = 1\n", "x = 1"],
    ["the line that opens one", "x  <<EOF\na\nEOF\n", "x <<EOF"],
    ["one that nothing ends", "x <<EOF\ny  = 1\n", "y = 1"],
    ["streams", "cout << x  << endl;\ny = 1;\n", "cout << x << endl;"],
    ["a singleton class", "class << self\n  x  = 1\n  self\nend\n", "  x = 1"],
    ["a shift", "1 << n\nx  = 1\nn\n", "x = 1"],
    ["below a block scalar", "k: |\n  a\nj:  1\n", "j: 1"],
    ["the next key of an entry", "a:\n  - k: |\n      a b\n    j:  1\n", "    j: 1"],
    ["a union of types", "type A =\n  | B\nx  = 1\n", "x = 1"],
    ["after %q()", "x = %q(a)  + 1\n", "x = %q(a) + 1"],
    ["a remainder", "x = 5 % (a  + b)\n", "x = 5 % (a + b)"],
    ["between two raw strings", 'let q = r#"a"#;\nlet  z = 1;\nlet t = r#"b"#;\n', "let z = 1;"],
    ["a list of names", "m = [[a,  b]]\n", "m = [[a, b]]"],
    ["a list of sums over lines", "m = [[\n  a,  b + c,\n]]\n", "  a, b + c,"],
    ["a list with quotes", 'm = [["a b",  "c"]]\n', 'm = [["a b", "c"]]'],
    ["indices", "y = x[[i,  j]]\n", "y = x[[i, j]]"],
    ["one index", "y = x[[ i +  1 ]]\n", "y = x[[ i + 1 ]]"],
    ["a list that is built", "m = [[x  for x in y]]\n", "m = [[x for x in y]]"],
    ["a list whose first list is repeated", "m = [[0]  * n for _ in r]\nq = [[1]]\n", "m = [[0] * n for _ in r]"],
    ["a table of TOML", "[[ a.b  ]]\nc = 1\n", "[[ a.b ]]"],
    ["a remainder without a blank", "x = a %(b  + c)\n", "x = a %(b + c)"],
    ["a remainder of a call", "x = f(a) %(b  + c)\n", "x = f(a) %(b + c)"],
    ["what is formatted", "print(x %(a,  b))\n", "print(x %(a, b))"],
    ["what is formatted, on the next line", '("a %s"\n  %(a,  b))\n', "  %(a, b))"],
    ["a shift by a constant", "x = y << BITS\nfoo(a,  b)\nbar(\n  BITS\n)\n", "foo(a, b)"],
    ["a union of types in braces", "type T = {\n  a: |\n    x  y\n}\n", "    x y"],
    ["a union of types, deeper", "type T = { // c\n  a:\n    b: |\n      x  y\n}\n", "      x y"],
    ["a shift by a variable", "x = a << b\nx  = 1\nb\n", "x = 1"],
    ["calls of q", "x = q(a,  b)\n", "x = q(a, b)"],
    ["a method q", "x.q(a  + b)\n", "x.q(a + b)"],
    ["process ids of the shell", "echo $$\nx  = 1\necho $$\n", "x = 1"],
    ["between two bodies of SQL", "as $$\na\n$$;\nx  = 1;\nas $$\nb\n$$;\n", "x = 1;"],
    ["between two links", '<a href="#">\n<b  c>\n<a href="#">\n', "<b c>"],
  ])("%s", (_, content, oldString) => {
    expect(outcome(content, oldString)).toBe("inner_whitespace")
  })
})
