import type { Invocation } from "../../permission/shell/collected.ts"
import type { ShellFacts } from "../../permission/shell/facts.ts"
import { gitParts } from "../../permission/shell/git-globals.ts"

/** Names of all programs that are known to run. */
export const programsOf = ({ invocations }: ShellFacts): ReadonlySet<string> =>
  new Set(invocations.map(({ basename }) => basename))

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

export function subcommandOf({ basename, argv }: Invocation): string {
  const args = argv.slice(1)
  if (basename === "git") return gitParts(args).subcommand
  return args.find((arg) => !arg.startsWith("-")) ?? ""
}
