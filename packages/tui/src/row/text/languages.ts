/** What divides a language's text into comments, strings, numbers and words. Enough for colours, not for meaning. */
export interface Language {
  /** Begin a comment until the end of the line. */
  readonly line: readonly string[]
  /** Begin and end of what may go over several lines. */
  readonly block: readonly (readonly [open: string, close: string])[]
  /** Quotes of strings that end with their line, and of those that do not. */
  readonly quotes: readonly string[]
  readonly longQuotes: readonly string[]
  readonly keywords: ReadonlySet<string>
  /** Words are keywords in any case. */
  readonly anyCase?: true
}

const words = (text: string) => new Set(text.split(" "))

function language(
  comments: Partial<Pick<Language, "line" | "block">>,
  keywords: string,
  more: Partial<Pick<Language, "quotes" | "longQuotes" | "anyCase">> = {},
): Language {
  return { line: [], block: [], quotes: ['"', "'"], longQuotes: [], ...comments, ...more, keywords: words(keywords) }
}

const slashes = { line: ["//"], block: [["/*", "*/"]] } as const
const hash = { line: ["#"] } as const

const script = language(
  slashes,
  "abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown using var void while yield",
  { longQuotes: ["`"] },
)
const c = language(
  { line: ["//", "#include", "#define", "#if", "#endif", "#else", "#pragma"], block: [["/*", "*/"]] },
  "alignas auto bool break case catch char class concept const constexpr continue decltype default delete do double else enum explicit extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private protected public register requires return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while",
)
const java = language(
  slashes,
  "abstract assert async await base boolean break byte case catch char class const continue data default delegate do double else enum extends false final finally float for foreach fun if implements import in instanceof int interface internal is lateinit let long namespace native new null object open out override package params private protected public readonly record ref return sealed short static string super suspend switch synchronized this throw throws transient true try typeof using val var void volatile when where while with yield",
  { longQuotes: ['"""'] },
)
const go = language(
  slashes,
  "any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint8 var",
  { longQuotes: ["`"] },
)
const rust = language(
  slashes,
  "as async await bool break const continue crate dyn else enum extern f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u32 u64 u8 unsafe use usize where while",
  { quotes: ['"'] },
)
const swift = language(
  slashes,
  "actor any as associatedtype async await break case catch class const continue default defer deinit do else enum errdefer export extension extern false fileprivate final fn for func guard if import in init inline inout internal is lazy let nil null open operator override private protocol pub public repeat rethrows return self Self some static struct subscript super switch test throw throws true try typealias undefined union unowned var weak where while",
  { longQuotes: ['"""'] },
)
const php = language(
  { line: ["//", "#"], block: [["/*", "*/"]] },
  "abstract and array as break case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof interface isset match namespace new null or print private protected public readonly require return static switch this throw trait true try unset use var while yield",
)
const python = language(
  hash,
  "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  { longQuotes: ['"""', "'''"] },
)
const ruby = language(
  { ...hash, block: [["=begin", "=end"]] },
  "alias and begin break case class def defmodule defp do else elsif end ensure false fn for if in module next nil not or raise redo require rescue retry return self super then true undef unless until use when while with yield",
)
const shell = language(
  hash,
  "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local printf read readonly return set shift source test then trap unset until while",
)
const data = language(hash, "true false null yes no on off")
const sql = language(
  { line: ["--"], block: [["/*", "*/"]] },
  "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction trigger union unique update using values view when where with",
  { anyCase: true },
)
const lua = language(
  {
    line: ["--"],
    block: [
      ["--[[", "]]"],
      ["{-", "-}"],
    ],
  },
  "and break case class data deriving do else elseif end false for function goto if import in instance let local module nil not of or qualified repeat return then true type until where while",
)
const css = language({ block: [["/*", "*/"]] }, "important media import supports keyframes from to and not only")
const markup = language({ block: [["<!--", "-->"]] }, "")
const json = language({ line: ["//"], block: [["/*", "*/"]] }, "true false null", { quotes: ['"'] })

const named: Readonly<Record<string, Language>> = {
  ...all(script, "js jsx ts tsx mjs cjs mts cts javascript typescript javascriptreact typescriptreact node svelte vue"),
  ...all(c, "c h cc cpp cxx hpp c++ objc arduino glsl"),
  ...all(java, "java kotlin kt kts cs csharp c# scala groovy gradle dart"),
  ...all(go, "go golang"),
  ...all(rust, "rs rust"),
  ...all(swift, "swift zig"),
  ...all(php, "php"),
  ...all(python, "py python py3 python3 starlark bzl"),
  ...all(ruby, "rb ruby ex exs elixir crystal"),
  ...all(shell, "sh bash zsh fish shell console shellsession terminal makefile make dockerfile docker"),
  ...all(data, "yaml yml toml ini conf cfg properties env nix r perl pl tf hcl terraform"),
  ...all(sql, "sql mysql postgresql postgres plsql sqlite"),
  ...all(lua, "lua hs haskell"),
  ...all(css, "css scss sass less"),
  ...all(markup, "html xml svg htm xhtml"),
  ...all(json, "json jsonc json5 jsonl"),
}

function all(found: Language, names: string): Record<string, Language> {
  return Object.fromEntries(names.split(" ").map((name) => [name, found]))
}

/** The language behind a name as it stands after a fence, or behind the ending of a file's name. Undefined: no colours. */
export function languageOf(name: string): Language | undefined {
  const key = /^[\w#+]+/.exec(name.trim().toLowerCase())?.[0] ?? ""
  return Object.hasOwn(named, key) ? named[key] : undefined
}
