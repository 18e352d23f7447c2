import { dirname, join, resolve } from "node:path"
import type { Environment } from "../../process/environment.ts"
import type { Invocation } from "../../permission/shell/collected.ts"
import type { ShellFacts } from "../../permission/shell/facts.ts"
import { gitParts } from "../../permission/shell/git-globals.ts"
import { settingOf, startingSettings } from "../../workspace/git-settings.ts"
import { contains } from "../../workspace/paths.ts"
import { realOf } from "../../workspace/real-of.ts"
import { look, namesIn, textOf } from "./disk-look.ts"
import { subcommandOf } from "./line-programs.ts"

/** They pass text on: what they could read of a secret they would have to be given as a path. */
const passing: ReadonlySet<string> = new Set(
  "cat head tail grep egrep fgrep rg wc sort uniq cut tr tee sed jq echo printf cd pwd true test [ date sleep ls".split(
    " ",
  ),
)

export interface KeyOwnersDeps {
  /** The environment of the line: where its programs are found. */
  readonly env: Environment
  readonly worktree: string
  readonly commonDir?: string | undefined
}

/**
 * The commands of a line as `program` and `program subcommand`: whose keys it gets. None when another program runs in
 * the same line, or one that is not known, or one that the project brings along: it would get them too.
 */
export function keyOwners({ invocations, opaque }: ShellFacts, deps: KeyOwnersDeps): ReadonlySet<string> {
  const names = invocations.filter((one) => !one.free && !passing.has(one.basename))
  const programs = new Set(names.map((one) => one.basename))
  const [program] = programs
  if (programs.size !== 1 || program === undefined || names.some((one) => one.executable !== program)) return new Set()
  if (opaque !== undefined && !(isRemote(opaque, program) && names.every(isPlainRemote))) return new Set()
  if (!isOutside(program, deps)) return new Set()
  if (program === "git" && !names.every((one) => isPlainGit(one, deps))) return new Set()
  return new Set([program, ...names.map((one) => `${program} ${subcommandOf(one)}`)])
}

/** The program that is found by the name does not lie in the project. */
function isOutside(program: string, { env, worktree }: KeyOwnersDeps): boolean {
  const found = Bun.which(program, { PATH: env["PATH"] ?? "/usr/bin:/bin" })
  const real = found === null ? undefined : realOf(found)
  return found !== null && real !== undefined && !contains(worktree, real) && !contains(worktree, found)
}

const remote = new Set(["ssh", "scp", "sftp", "rsync"])

/** The line cannot be read for no other reason than that the program works elsewhere. */
const isRemote = (opaque: string, program: string): boolean =>
  remote.has(program) && opaque.startsWith(`${program}: `) && !opaque.includes("; ")

/** Options that name neither settings nor a program: those that stand alone, and those with a value. */
const plainOptions: Readonly<Record<string, { readonly alone: string; readonly valued: string }>> = {
  ssh: { alone: "46AaCfGgKkNnqsTtVvXxYy", valued: "bceDiJlLmOpQRW" },
  scp: { alone: "346ABCOpqRrTv", valued: "ciJlP" },
  sftp: { alone: "46AaCfNpqrv", valued: "BciJlPR" },
}
const plainSettings =
  /^(?:BatchMode|ConnectTimeout|ConnectionAttempts|StrictHostKeyChecking|ServerAlive\w+|Port|User|LogLevel|IdentitiesOnly)[= ]/i

/** Neither a setting nor a program of the line's own. */
function isPlainRemote({ argv, env, basename }: Invocation): boolean {
  if (Object.keys(env).length > 0) return false
  const args = argv.slice(1)
  const options = plainOptions[basename]
  if (!options)
    return !args.some((arg) => /^-(?!-)\w*e|^--(?:rsh|rsync-path|password-file|config|daemon|dparam)/.test(arg))
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    // What follows ssh's host runs there.
    if (!arg.startsWith("-") && basename === "ssh") return true
    if (!arg.startsWith("-")) continue
    const [letter = "", rest] = [arg[1], arg.slice(2)]
    const value = () => (rest === "" ? (args[++at] ?? "") : rest)
    if (letter === "o" ? !plainSettings.test(value()) : !isPlainOption(arg, options, value)) return false
  }
  return true
}

function isPlainOption(
  arg: string,
  { alone, valued }: { alone: string; valued: string },
  value: () => string,
): boolean {
  if (valued.includes(arg[1] ?? "-")) return value() !== ""
  return [...arg.slice(1)].every((letter) => alone.includes(letter))
}

/** It works on a repository of which nothing starts a program that the project brings along. */
function isPlainGit({ argv, at, env }: Invocation, deps: KeyOwnersDeps): boolean {
  const { globals, subcommand } = gitParts(argv.slice(1))
  if (Object.keys(env).length > 0 || globals.some((one) => one !== "--no-pager" && one !== "-P")) return false
  return at.every((directory) => {
    const gitDir = gitDirectoryAt(realOf(directory) ?? directory)
    if (gitDir === undefined) return subcommand === "clone" || subcommand === "ls-remote"
    const settings = ["config", "config.worktree"].map((name) => textOf(join(gitDir, name)) ?? "").join("\n")
    // The project's own settings were there when it began, or somebody has allowed them.
    const isOwn = deps.commonDir !== undefined && contains(deps.commonDir, gitDir)
    if (!isOwn && startingSettings("", settings).length > 0) return false
    return !hasProjectHook(directory, gitDir, settings, { isOwn, worktree: deps.worktree })
  })
}

/** The directory with the settings of the repository that git finds from here. */
function gitDirectoryAt(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const path = join(at, ".git")
    const info = look(path)
    if (info?.isDirectory()) return path
    if (info) {
      const named = /^gitdir: *(.+)$/m.exec(textOf(path) ?? "")?.[1]?.trim()
      const gitDir = named === undefined ? path : resolve(at, named)
      const common = textOf(join(gitDir, "commondir"))?.trim()
      return realOf(common === undefined ? gitDir : resolve(gitDir, common)) ?? path
    }
    if (at === dirname(at)) return undefined
  }
}

/** Hooks that git would run are files of the project, or of a repository that nobody watches. */
function hasProjectHook(
  directory: string,
  gitDir: string,
  settings: string,
  { isOwn, worktree }: { readonly isOwn: boolean; readonly worktree: string },
): boolean {
  const named = settingOf(settings, "core.hookspath")
  if (named === undefined) return !isOwn && namesIn(join(gitDir, "hooks")).some((name) => !name.endsWith(".sample"))
  const place = named.startsWith("~")
    ? undefined
    : resolve(gitDir.endsWith("/.git") ? dirname(gitDir) : directory, named)
  if (place === undefined || !contains(worktree, realOf(place) ?? place)) return false
  // husky's has a file for each hook there is, which looks for the project's own one directory up.
  const hooks = place.endsWith("/_") ? dirname(place) : place
  return namesIn(hooks).some((name) => hooksOfSpeaking.has(name))
}

/** The hooks of the commands that get keys. */
const hooksOfSpeaking: ReadonlySet<string> = new Set(
  "pre-push reference-transaction post-merge post-checkout post-rewrite pre-rebase pre-merge-commit".split(" "),
)
