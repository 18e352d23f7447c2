import { absolutePath, type CommandContext, type PathFacts } from "./command-paths.ts"
import { realPathSync } from "./real-path.ts"
import type { Invocation } from "./shell/collected.ts"
import { isShell, runsScripts } from "./shell/launchers.ts"
import { rolesOf } from "./shell/word-roles.ts"
import { hasHole, type Word, wordOf } from "./shell/syntax.ts"

/** Put a text of their own, or one from elsewhere, into the files that they write. */
const authors: ReadonlySet<string> = new Set(
  "tee dd sed gsed perl ruby curl wget patch sort split truncate ed".split(" "),
)

/** What a program runs by itself in the directory where it starts. */
const usualScripts: Readonly<Record<string, readonly string[]>> = {
  ...{ make: ["Makefile", "makefile", "GNUmakefile"], gmake: ["Makefile", "makefile", "GNUmakefile"] },
  ...{ npm: ["package.json"], pnpm: ["package.json"], yarn: ["package.json"], bun: ["package.json"] },
  ...{ just: ["justfile", "Justfile", ".justfile"], task: ["Taskfile.yml", "Taskfile.yaml"] },
}

/**
 * Does a line run a file that it fills itself? What is in it then is as little known as the text behind `bash -c "$X"`.
 * Scripts that were there before are programs like any other.
 */
export function runsOwnScript(
  commands: readonly Invocation[],
  redirected: ReadonlySet<string>,
  context: CommandContext,
  facts: PathFacts,
): boolean {
  const filled = new Set(redirected)
  for (const { words, at, basename: name } of commands) {
    if (!authors.has(name)) continue
    const [first, ...args] = words
    for (const { word, text } of rolesOf(first!.value, args).writes)
      for (const path of places(word, text, at, context, facts)) filled.add(path)
  }
  if (filled.size === 0) return false
  return commands.some((one) =>
    scriptsOf(one).some((word) => places(word, word.value, one.at, context, facts).some((path) => filled.has(path))),
  )
}

function places(word: Word, text: string, at: readonly string[], context: CommandContext, facts: PathFacts): string[] {
  if (hasHole(text) || text === "") return []
  return at.flatMap((cwd) => realPathSync(absolutePath(word, text, cwd, context), facts.links) ?? [])
}

/** The files that a command runs, as far as its words say. */
function scriptsOf({ words, executable, basename: name }: Invocation): Word[] {
  const [first, ...args] = words
  const own = executable.includes("/") ? [first!] : []
  const usual = (Object.hasOwn(usualScripts, name) ? usualScripts[name]! : []).map(wordOf)
  if (!isShell(name) && !runsScripts(name) && usual.length === 0) return own
  // An option may take the word behind it: every word could be the script.
  const named = args.flatMap((word) => {
    const joined = /^-(?:f|-(?:file|makefile|justfile)=)(.+)$/s.exec(word.value)?.[1]
    return joined === undefined ? [word] : [{ ...word, value: joined }]
  })
  return [...own, ...usual, ...named.filter((word) => !word.value.startsWith("-"))]
}

/** For messages. */
export const ownScript = "it runs what the line itself writes"
