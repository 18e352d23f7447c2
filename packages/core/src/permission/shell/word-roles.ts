import { basename } from "node:path"
import { gitRoles } from "./git-roles.ts"
import { readers, silent } from "./readers.ts"
import { patternless } from "./pattern-words.ts"
import type { PathWord, Roles, WriteWord } from "./roles.ts"
import { type Word, wordOf } from "./syntax.ts"

interface Row {
  readonly commands: readonly string[]
  readonly reason: string
  readonly roles: (args: Arguments) => Roles
}

export interface Arguments {
  readonly operands: readonly PathWord[]
  /** Options as they are written, short ones one by one: `-r`, `-t`; with their values. */
  readonly options: readonly { readonly name: string; readonly value?: PathWord }[]
}

/** Splits arguments as getopt does. `valued`: short options that take a value. */
function parseArguments(words: readonly Word[], valued = ""): Arguments {
  const operands: PathWord[] = []
  const options: { name: string; value?: PathWord }[] = []
  let plain = false
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const text = word.value
    if (plain || text === "-" || !text.startsWith("-")) operands.push({ word, text })
    else if (text === "--") plain = true
    else if (text.startsWith("--")) {
      const equals = text.indexOf("=")
      if (equals < 0) options.push({ name: text })
      else options.push({ name: text.slice(0, equals), value: { word, text: text.slice(equals + 1) } })
    } else {
      const at = [...text].findIndex((char, position) => position > 0 && valued.includes(char))
      const letters = at < 0 ? text.slice(1) : text.slice(1, at)
      for (const letter of letters) options.push({ name: `-${letter}` })
      if (at < 0) continue
      const rest = text.slice(at + 1)
      const next = rest === "" ? words[++index] : word
      options.push({
        name: `-${text[at]!}`,
        ...(next && { value: { word: next, text: rest === "" ? next.value : rest } }),
      })
    }
  }
  return { operands, options }
}

const has = ({ options }: Arguments, ...names: string[]) =>
  options.some(({ name }) => names.some((one) => name === one || (name.length > 2 && one.startsWith(name))))

const plainWrites = (operands: readonly PathWord[], more: Omit<WriteWord, "word" | "text"> = {}): Roles => ({
  writes: operands.map((one) => ({ ...one, ...more })),
  reads: [],
})

const here: PathWord = { word: wordOf("."), text: "." }

/** Sources and their target: the last operand, or what `-t` names. */
function copied(args: Arguments, take: "read" | "move"): Roles {
  // `--target-directory d` as two words leaves d among the operands.
  const given = args.options.find(
    ({ name }) => name === "-t" || (name.length > 2 && "--target-directory".startsWith(name)),
  )
  const [first, ...others] = args.operands
  const named = given && (given.value ?? first)
  const sources = named ? (given.value ? args.operands : others) : args.operands.slice(0, -1)
  const target = named ?? (args.operands.length > 1 ? args.operands.at(-1) : undefined)
  const into = named !== undefined || sources.length > 1
  const bare = has(args, "-T", "--no-target-directory")
  const writes: WriteWord[] = target
    ? [{ ...target, deep: true, ...(!bare && { from: sources }), ...(into && { into }) }]
    : []
  if (take === "move") writes.push(...sources.map((one) => ({ ...one, deep: true, whole: true })))
  return { writes, reads: sources }
}

function linked(args: Arguments): Roles {
  const { operands } = args
  const two =
    operands.length === 1 && !has(args, "-t", "--target-directory") ? { ...args, operands: [...operands, here] } : args
  const { writes, reads } = copied(two, "read")
  const [write] = writes
  const links = write ? reads.map((target) => ({ target, write: { ...write, from: [target] } })) : []
  // Who writes through a link writes its target: making one counts as a change of it.
  return { writes: [...writes, ...reads.map((one) => ({ ...one, deep: true }))], reads, links }
}

/** One line of reason each. Commands that stand nowhere may change every word they are given. */
const rows: readonly Row[] = [
  {
    commands: ["cp", "gcp"],
    reason: "the last operand becomes a copy of the others",
    roles: (args) => copied(args, "read"),
  },
  {
    commands: ["mv", "gmv"],
    reason: "the last operand becomes the others, which are gone then",
    roles: (args) => copied(args, "move"),
  },
  {
    commands: ["install"],
    reason: "the last operand becomes a copy of the others, or all are directories to make",
    roles: (args) => (has(args, "-d", "--directory") ? plainWrites(args.operands) : copied(args, "read")),
  },
  { commands: ["ln", "gln", "link"], reason: "the last operand becomes a link to the others", roles: linked },
  {
    commands: ["rm", "rmdir", "unlink", "shred", "trash"],
    reason: "every operand is gone then",
    roles: ({ operands }) => plainWrites(operands, { deep: true, whole: true }),
  },
  {
    commands: ["tee", "touch", "truncate", "mkdir", "mkfifo", "mknod"],
    reason: "every operand is made or filled",
    roles: ({ operands }) => plainWrites(operands),
  },
  {
    commands: ["chmod", "chown", "chgrp", "chattr", "setfacl"],
    reason: "every operand behind the mode is changed",
    roles: (args) =>
      plainWrites(args.operands.slice(has(args, "--reference") ? 0 : 1), {
        deep: true,
        ...(has(args, "-R", "--recursive") && { whole: true }),
      }),
  },
  {
    commands: ["dd"],
    reason: "of= is filled from if=",
    roles: ({ operands }) => {
      const named = (key: string) =>
        operands.filter(({ text }) => text.startsWith(key)).map((one) => ({ ...one, text: one.text.slice(key.length) }))
      return { writes: named("of="), reads: named("if=") }
    },
  },
  {
    commands: ["patch"],
    reason: "the first operand is changed by the second",
    roles: ({ operands, options }) => ({
      writes: [
        ...operands.slice(0, 1),
        ...options.flatMap(({ name, value }) => (/^-[ord]$|^--(?:out|dir)/.test(name) && value ? [value] : [])),
      ],
      reads: operands,
    }),
  },
  {
    commands: ["sed", "gsed", "perl", "ruby"],
    reason: "with -i its files are changed in place",
    roles: (args) => {
      const words = args.operands
      const changes = args.options.some(({ name }) => name === "-i" || name.startsWith("--i"))
      return { writes: changes ? words : [], reads: words }
    },
  },
  {
    commands: ["unzip"],
    reason: "unpacking fills a directory: the one that is named, or this one",
    roles: ({ operands, options }) => {
      // It lists, or writes to the terminal.
      if (options.some(({ name }) => /^-[ltvpZz]$/.test(name))) return { writes: [], reads: operands }
      const named = options.flatMap(({ value }) => (value ? [value] : []))
      return { ...plainWrites([...operands, ...(named.length > 0 ? named : [here])], { deep: true }), reads: operands }
    },
  },
  {
    commands: ["tar", "bsdtar", "gtar", "cpio"],
    reason: "unpacking fills a directory: the one that is named, or this one",
    roles: ({ operands, options }) => {
      const named = [...operands, ...options.flatMap(({ value }) => (value ? [value] : []))]
      const packs =
        options.some(({ name }) => /^-[cortu]$|^--(?:c|l|ap|up)/.test(name)) ||
        /^[a-z]*[cortu]/.test(operands[0]?.text ?? "")
      return { ...plainWrites(packs ? named : [...named, here], { deep: true }), reads: operands }
    },
  },
  {
    commands: ["sort", "curl", "wget", "gcc", "cc", "clang"],
    reason: "-o and its like name a file to fill",
    roles: ({ operands, options }) => {
      const outputs = options
        .filter(({ name, value }) => value && /^-[oOP]$|^--(?:o|directory-prefix)/.test(name))
        .map(({ value }) => value!)
      const others = options.flatMap(({ value }) => (value && !outputs.includes(value) ? [value] : []))
      return { writes: outputs, reads: [...operands, ...others] }
    },
  },
  {
    commands: ["uniq"],
    reason: "the second operand is filled",
    roles: ({ operands }) => ({ writes: operands.slice(1), reads: operands.slice(0, 1) }),
  },
]

const byName = new Map(rows.flatMap((row) => row.commands.map((name) => [name, row] as const)))
/** Is it known what the words of a command are to it? */
export const hasRoles = (command: string): boolean => byName.has(command)
const valuedOptions: Readonly<Record<string, string>> = {
  ...{ cp: "tS", gcp: "tS", mv: "tS", gmv: "tS", ln: "tS", gln: "tS", install: "tSmog", truncate: "sr" },
  ...{ gcc: "o", cc: "o", clang: "o", unzip: "d", tar: "C", bsdtar: "C", gtar: "C" },
  ...{
    touch: "drt",
    mkdir: "m",
    mkfifo: "m",
    mknod: "m",
    patch: "iordpBbDFgVYz",
    shred: "ns",
    sort: "o",
    curl: "odFTK",
    wget: "OoP",
  },
}

/** What each word is to the command. `args`: without patterns and programs. */
export function rolesOf(name: string, words: readonly Word[]): Roles {
  const command = basename(name)
  const row = byName.get(command)
  const args = patternless(command, words)
  if (command === "git") return gitRoles(words)
  const deep = goesDeep(command, words)
  if (row) return { ...row.roles(parseArguments(args, valuedOptions[command])), deep }
  const all = args.map((word) => ({ word, text: word.value }))
  if (silent.has(command)) return { writes: [], reads: [] }
  // Without a name of a file the whole directory is searched.
  const searched = deep && !all.some(({ text }) => !text.startsWith("-")) ? [here] : []
  if (readers.has(command)) return { writes: [], reads: [...all, ...searched], deep }
  return { writes: [], reads: all, unknown: true, deep }
}

/** Does a command read what lies below the directories that it is given? */
function goesDeep(command: string, words: readonly Word[]): boolean {
  if (/^(?:[bg]s?d?tar|tar|zip|cpio|7z)$/.test(command)) return true
  const options = /^(?:[efz]?grep|g?cp|diff|rsync|scp)$/.test(command)
    ? /^-(?!-)\w*[rRa]|^--(?:recursive|dereference-rec|archive)|(?:^|=|^-d)recurse$/
    : command === "rg" || command === "ag"
      ? /^-(?!-)\w*[u.]|^--(?:hidden|unrestricted|no-ignore)/
      : undefined
  return options !== undefined && words.some(({ value }) => options.test(value))
}
