import type { Invocation } from "../../permission/shell/collected.ts"
import type { ShellFacts } from "../../permission/shell/facts.ts"
import { gitParts } from "../../permission/shell/git-globals.ts"

/** They pass text on: what they could read of a secret they would have to be given as a path. */
const passing: ReadonlySet<string> = new Set(
  "cat head tail grep egrep fgrep rg wc sort uniq cut tr tee sed jq echo printf cd pwd true test [ date sleep ls".split(
    " ",
  ),
)

/**
 * The commands of a line as `program` and `program subcommand`: whose keys it gets. None when another program runs in
 * the same line, or one that is not known: it would get them too.
 */
export function keyOwners({ invocations, opaque }: ShellFacts): ReadonlySet<string> {
  if (opaque !== undefined) return new Set()
  const names = invocations.filter((one) => !one.free && !passing.has(one.basename))
  const programs = new Set(names.map((one) => one.basename))
  const [program] = programs
  // A program from the project may have any name.
  if (programs.size !== 1 || program === undefined || names.some((one) => one.executable.includes("/")))
    return new Set()
  return new Set([program, ...names.map((one) => `${program} ${subcommandOf(one)}`)])
}

/** Those that bring tracked files to another state, and run nothing by what they are told. */
const moving = new Set(
  "pull merge checkout switch rebase reset restore stash cherry-pick revert fetch add commit status log diff".split(
    " ",
  ),
)

/** Of those, what only takes note of files, or brings none. */
const noting = new Set("fetch add commit status log diff".split(" "))

/** True when a line names a git command that brings tracked files to another state. */
export function movesFiles({ invocations }: ShellFacts): boolean {
  return invocations.some((one) => {
    const subcommand = one.basename === "git" ? subcommandOf(one) : ""
    return moving.has(subcommand) && !noting.has(subcommand)
  })
}

/** True when nothing but git runs, and does what changes tracked files by design. */
export function isGitAlone({ invocations, opaque }: ShellFacts): boolean {
  const commands = invocations.filter((one) => !one.free)
  return (
    opaque === undefined &&
    commands.some((one) => one.basename === "git") &&
    commands.every((one) => one.basename === "git" && one.executable === "git" && moving.has(subcommandOf(one)))
  )
}

function subcommandOf({ basename, argv }: Invocation): string {
  const args = argv.slice(1)
  if (basename === "git") return gitParts(args).subcommand
  return args.find((arg) => !arg.startsWith("-")) ?? ""
}
