import { posix } from "node:path"
import type { Threat } from "../workspace/history/threat.ts"
import { collectPaths, type CommandContext, noFacts } from "./command-paths.ts"
import { gitThreats } from "./git-threats.ts"
import type { LinkView } from "./real-path.ts"
import type { Invocation } from "./shell/collected.ts"
import { startPaths } from "./shell/find-command.ts"
import { gitParts } from "./shell/git-globals.ts"
import { hasHole, type Word } from "./shell/syntax.ts"

/** Commands that destroy, but no content. */
const harmless: ReadonlySet<string> = new Set(["chmod", "chown", "chgrp"])

/** What a command could destroy of files that nothing else has. Patterns are looked up on the disk. */
export function threatsOf(invocation: Invocation, context: CommandContext, links: LinkView): Threat[] {
  const { basename, words, text: command, at } = invocation
  const args = words.slice(1).flatMap((word) => word.stands ?? [word])
  if (basename === "git") return at.flatMap((cwd) => ofGit(args, command, cwd, context))
  if (invocation.destructive === undefined || harmless.has(basename)) return []
  const vague = args.some((word) => hasHole(word.value) || word.many || word.below)
  if (/^g?find$/.test(basename))
    return at.map((cwd) => ({ ...{ kind: "paths", command, cwd, vague: true }, paths: found(args, cwd, context) }))
  const facts = { ...noFacts(), links }
  collectPaths(invocation, context, facts)
  const paths = new Set([...facts.changes].map((path) => path.replace(/\/\*$/, "")))
  if (vague || facts.unknown !== undefined) for (const cwd of at) paths.add(cwd)
  const cwd = at[0] ?? context.cwd
  // What `mv` puts elsewhere is not lost: which of its words is in the way shows on the disk alone.
  const open = vague || facts.unknown !== undefined || /^g?mv$/.test(basename)
  return paths.size > 0 ? [{ kind: "paths", command, cwd, paths: [...paths], ...(open && { vague: true }) }] : []
}

const found = (args: readonly Word[], cwd: string, context: CommandContext): string[] =>
  startPaths("find", args).map((word) => (hasHole(word.value) ? cwd : posix.resolve(cwd, textOf(word, context))))

/** A word as the program gets it, its patterns aside. */
const textOf = (word: Word, { home }: CommandContext): string => (word.tilde ? home + word.value.slice(1) : word.value)

function ofGit(args: readonly Word[], command: string, start: string, context: CommandContext): Threat[] {
  const { globals, subcommand, rest } = gitParts(args.map((word) => word.value))
  const tail = args.slice(args.length - rest.length)
  let cwd = start
  for (const [position, name] of globals.entries())
    if (name === "-C") cwd = posix.resolve(cwd, globals[position + 1] ?? ".")
  const texts = tail.map((word) => textOf(word, context))
  const unknown = [...globals, ...texts].some(hasHole) || tail.some((word) => word.many)
  return gitThreats(subcommand, texts).map((threat): Threat => {
    if (threat.kind === "ref") return { ...threat, command, cwd }
    // A whole working tree, or who knows what: then all of it.
    if (threat.kind === "tree" && !hasHole(threat.path))
      return { kind: "paths", command, cwd, paths: [posix.resolve(cwd, threat.path)] }
    if (threat.kind === "tree" || unknown) {
      const all = { changed: true, untracked: "all", ignored: "all", nested: true } as const
      return { kind: "git", command, cwd: hasHole(cwd) ? start : cwd, only: [], ...all }
    }
    return { ...threat, command, cwd }
  })
}
