import { gitGlobals } from "./git-globals.ts"
import type { PathWord, Roles, WriteWord } from "./roles.ts"
import { type Word, wordOf } from "./syntax.ts"

interface GitCall {
  readonly subcommand: string
  readonly args: readonly Word[]
  /** What stands in front of the subcommand. */
  readonly globals: readonly Word[]
}

/** The parts of git's arguments. */
function gitCall(words: readonly Word[]): GitCall {
  const end = gitGlobals(words.map((word) => word.value))
  return { subcommand: words[end]?.value ?? "", args: words.slice(end + 1), globals: words.slice(0, end) }
}

const readingForms: ReadonlySet<string> = new Set(["get", "list", "get-color", "get-colorbool", "get-urlmatch"])

/** Does `git config` with these arguments change a file? */
export function setsConfig(args: readonly string[]): boolean {
  if (args.some((arg) => /^--(?:get|list|show)/.test(arg) || arg === "-l")) return false
  const words = args.filter((arg) => !arg.startsWith("-"))
  if (args.some((arg) => /^--(?:add|unset|replace|remove|rename|edit)|^-e$/.test(arg))) return true
  return !readingForms.has(words[0] ?? "") && (words.length > 1 || ["set", "unset", "edit"].includes(words[0] ?? ""))
}

const said = (word: Word, text = word.value): PathWord => ({ word, text })
const at = (path: string): WriteWord => ({ word: wordOf(path), text: path })

/** Where a set goes. */
function configFiles(args: readonly Word[]): WriteWord[] {
  const texts = args.map((word) => word.value)
  if (texts.some((text) => text.startsWith("--gl"))) return [at("~/.gitconfig"), at("~/.config/git/config")]
  if (texts.some((text) => text.startsWith("--sy"))) return [at("/etc/gitconfig")]
  const file = texts.findIndex((text) => text === "-f" || text === "--file")
  const joined = args.find((word) => /^--file=|^-f./.test(word.value))
  if (joined) return [{ ...said(joined, joined.value.replace(/^--file=|^-f/, "")) }]
  if (file >= 0 && args[file + 1]) return [said(args[file + 1]!)]
  return [at(texts.includes("--worktree") ? ".git/config.worktree" : ".git/config")]
}

const operandsOf = (args: readonly Word[]): Word[] => {
  const dashes = args.findIndex((word) => word.value === "--")
  const before = (dashes < 0 ? args : args.slice(0, dashes)).filter((word) => !word.value.startsWith("-"))
  return dashes < 0 ? before : [...before, ...args.slice(dashes + 1)]
}
const pathsBehind = (args: readonly Word[]): Word[] => {
  const dashes = args.findIndex((word) => word.value === "--")
  return dashes < 0 ? operandsOf(args) : args.slice(dashes + 1)
}
const changes = (words: readonly Word[], whole = false): WriteWord[] =>
  words.map((word) => ({ ...said(word), deep: true, ...(whole && { whole }) }))

/** One row a subcommand: which of its words it writes. The others only read. */
const writing: Readonly<Record<string, (args: readonly Word[]) => readonly WriteWord[]>> = {
  // A branch's name stands among these: it is taken for a path, which is no harm.
  checkout: (args) => changes(pathsBehind(args)),
  restore: (args) => changes(pathsBehind(args)),
  rm: (args) => (args.some((word) => word.value === "--cached") ? [] : changes(operandsOf(args), true)),
  mv: (args) => {
    const words = operandsOf(args)
    const [target, sources] = [words.at(-1), words.slice(0, -1)]
    const from = sources.map((word) => said(word))
    return target
      ? [{ ...said(target), deep: true, from, ...(from.length > 1 && { into: true }) }, ...changes(sources, true)]
      : []
  },
  clean: (args) => {
    if (args.some((word) => /^-(?!-)\w*n|^--dry-run/.test(word.value))) return []
    const words = operandsOf(args)
    return changes(words.length > 0 ? words : [wordOf(".")], words.length > 0)
  },
  config: (args) => (setsConfig(args.map((word) => word.value)) ? configFiles(args) : []),
  clone: (args) => changes(operandsOf(args).slice(1)),
  init: (args) => changes(operandsOf(args)),
  submodule: (args) => (args[0]?.value === "add" ? changes(operandsOf(args).slice(2)) : []),
  worktree: (args) =>
    ["add", "move", "remove"].includes(args[0]?.value ?? "") ? changes(operandsOf(args).slice(1)) : [],
}
const showing: ReadonlySet<string> = new Set(
  "diff show blame annotate grep log cat-file archive hash-object apply am add commit stash".split(" "),
)

/** Files that options bring a message, a template or names from. */
function filesTaken(subcommand: string, args: readonly Word[]): PathWord[] {
  if (subcommand === "config") return []
  const short = ["commit", "tag", "notes", "merge", "commit-tree"].includes(subcommand)
  return args.flatMap((word, index): PathWord[] => {
    const text = word.value
    const joined = /^--(?:file|template|contents|pathspec-from-file|exclude-from)=|^-F(?=.)/.exec(text)?.[0]
    if (joined !== undefined) return joined === "-F" && !short ? [] : [said(word, text.slice(joined.length))]
    const next = /^--(?:file|template|contents|pathspec-from-file|exclude-from)$/.test(text) || (short && text === "-F")
    return next && args[index + 1] ? [said(args[index + 1]!)] : []
  })
}

/** What git's words are to it. Reads are files whose text comes out, also as `HEAD:path`. */
export function gitRoles(words: readonly Word[]): Roles {
  const { subcommand, args, globals } = gitCall(words)
  const inside = globals.flatMap((word, index) =>
    word.value === "-C" && globals[index + 1] ? [said(globals[index + 1]!)] : [],
  )
  const rows = Object.hasOwn(writing, subcommand) ? writing[subcommand]!(args) : []
  const outputs = args.flatMap((word, index) => {
    if (/^--output(?:-directory)?=/.test(word.value)) return [said(word, word.value.slice(word.value.indexOf("=") + 1))]
    const named =
      /^(?:-o|--output(?:-directory)?)$/.test(word.value) && subcommand !== "commit" ? args[index + 1] : undefined
    return named ? [said(named)] : []
  })
  const shown = showing.has(subcommand)
    ? operandsOf(args).map((word) => said(word, word.value.slice(word.value.indexOf(":") + 1)))
    : []
  const beyond = subcommand === "grep" && args.some((word) => /^--(?:no-index|untracked|no-exclude)/.test(word.value))
  const reads = [...shown, ...filesTaken(subcommand, args), ...(beyond ? [said(wordOf("."))] : [])]
  return {
    ...(beyond && { deep: true }),
    writes: [...rows, ...outputs],
    reads,
    unsure: true,
    ...(inside.length > 0 && { inside }),
  }
}
