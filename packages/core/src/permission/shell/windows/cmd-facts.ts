import { Collected, oddity, type ShellContext } from "../collected.ts"
import { finish, type ShellFacts } from "../facts.ts"
import { longestLine, type Parse, type Word } from "../syntax.ts"
import { unreadable } from "../word-reader.ts"
import { type Cmdlet, cmdletOf } from "./cmdlets.ts"
import { baseName, WindowsCommands } from "./windows-commands.ts"

/** Reads a line of cmd: plain words and plain quotes, and what connects commands. Anything else is `opaque`; never throws. */
export function cmdFacts(line: string, context: ShellContext): ShellFacts {
  const collected = new Collected(context, anotherShell, () => unreadable(another))
  return {
    caseless: true,
    ...finish(collected, context, () => {
      if (line.length > longestLine) unreadable("a line longer than 64 kB")
      const odd = oddity(line)
      if (odd !== undefined) unreadable(odd)
      const commands = new WindowsCommands(collected)
      for (const [piped, words, targets] of commandsOf(line)) {
        for (const target of targets)
          collected.redirect({ kind: "write", target: { ...target, value: slashed(target.value) } }, commands.state)
        runOne(commands, words, piped)
      }
    }),
  }
}

const another = "the line of another shell"
const anotherShell: Parse = () => ({ ok: false, reason: another })
const slashed = (text: string): string => text.replaceAll("\\", "/")

/** What may stand in a word; the signs of variables, escapes, blocks and lists may not. */
const bare = String.raw`[\w./\\:+@~*?#\[\]{}$=,-]`
const pieces = new RegExp(
  String.raw`([ \t]+)|(&&|\|\||[&|])|([0-9]?>>?(?:&[12])?)|("[^"%!^\r\n]*")(?=[ \t&|>]|$)|(${bare}+)(?=[ \t&|>]|$)`,
  "y",
)

type Simple = readonly [piped: boolean, words: readonly Word[], targets: readonly Word[]]

function commandsOf(line: string): Simple[] {
  const found: [boolean, Word[], Word[]][] = [[false, [], []]]
  let into: "words" | "targets" = "words"
  pieces.lastIndex = 0
  while (pieces.lastIndex < line.length) {
    const [, space, operator, redirect, quoted, plain] =
      pieces.exec(line) ?? unreadable("a character that is not plain")
    const current = found.at(-1)!
    if (space !== undefined) continue
    if (into === "targets" && quoted === undefined && plain === undefined) unreadable("a redirect without a target")
    if (operator !== undefined) {
      if (current[1].length === 0) unreadable("a syntax that is not understood")
      found.push([operator === "|", [], []])
    } else if (redirect !== undefined) into = redirect.includes("&") ? "words" : "targets"
    else {
      const word = wordOf(quoted ?? plain!, quoted !== undefined)
      if (into === "words") current[1].push(word)
      else if (!/^nul$/i.test(word.value)) current[2].push(targetOf(word))
      into = "words"
    }
  }
  if (into === "targets" || found.at(-1)![1].length === 0) unreadable("a syntax that is not understood")
  return found
}

function wordOf(raw: string, quoted: boolean): Word {
  const value = quoted ? raw.slice(1, -1) : raw
  if (quoted && value.endsWith("\\")) unreadable("a backslash in front of a quote")
  return { raw, value, glob: /[*?[]/.test(value), tilde: false, plain: !quoted }
}

const targetOf = (word: Word): Word =>
  /[:*?]|\.$/.test(word.value) ? unreadable("a redirect that is not understood") : word

/** What cmd does itself, as the cmdlet that does the same. */
const own: Readonly<Record<string, string>> = {
  ...{ dir: "Get-ChildItem", type: "Get-Content", copy: "Copy-Item", move: "Move-Item", del: "Remove-Item" },
  ...{ erase: "Remove-Item", rd: "Remove-Item", rmdir: "Remove-Item", md: "mkdir", mkdir: "mkdir", ren: "Rename-Item" },
  ...{ rename: "Rename-Item", cd: "Set-Location", chdir: "Set-Location", echo: "Write-Output", cls: "Clear-Host" },
}
const unknown: ReadonlySet<string> = new Set(
  "set if for call start goto rem shift exit mklink assoc ftype path prompt pushd popd setlocal endlocal title color date time vol label ver verify break choice more find doskey dpath keys color subst attrib icacls cacls takeown format diskpart".split(
    " ",
  ),
)

const isOption = ({ raw }: Word): boolean => /^\/(?:\?|[A-Za-z]{1,3}(?::[\w-]*)?)$/.test(raw)

function runOne(commands: WindowsCommands, words: readonly Word[], piped: boolean): void {
  const { collected } = commands
  const [first, ...rest] = words
  const name = first!.value
  if (!/^[\w.:\\~ ()-]+$/.test(name) || name.endsWith(".")) return unreadable("an unusual command name")
  // Its own commands need no space behind them.
  const [, stuck = ""] = /^(\w+)\W/.exec(name.toLowerCase()) ?? []
  if (Object.hasOwn(own, stuck) || unknown.has(stuck)) return unreadable("a command that touches its arguments")
  if (name.includes(":")) collected.reasons.add("a program of a drive")
  const base = baseName(name)
  if (unknown.has(base)) collected.reasons.add(`${base}: it is not looked into`)
  const cmdlet = Object.hasOwn(own, base) && base === name.toLowerCase() ? cmdletOf(own[base]!) : undefined
  // An option is no path.
  const all = [first!, ...rest.map((word) => (isOption(word) ? { ...word, stands: [] } : word))]
  if (!cmdlet) return commands.program(base, all)
  runOwn(
    commands,
    cmdlet,
    all,
    rest.filter((word) => !isOption(word)),
    piped,
  )
}

function runOwn(
  commands: WindowsCommands,
  cmdlet: Cmdlet,
  words: readonly Word[],
  args: readonly Word[],
  piped: boolean,
): void {
  const { reasons } = commands.collected
  // `copy a+b c`, and the separators that cmd takes for spaces.
  if (cmdlet.kind !== "says" && args.some(({ raw }) => /[+,;=]/.test(raw))) reasons.add("a list of files")
  if (args.some(({ raw }) => raw.startsWith("-"))) reasons.add("a name that begins with a dash")
  commands.cmdlet(cmdlet, words, args, piped && cmdlet.kind === "reads")
}
