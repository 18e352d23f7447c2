const valued: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"],
])

/** How many of git's arguments stand in front of the subcommand. */
export function gitGlobals(args: readonly string[]): number {
  let end = 0
  while (args[end]?.startsWith("-")) end += valued.has(args[end]!) ? 2 : 1
  return end
}

/** The subcommand and what follows it. */
export function gitParts(args: readonly string[]): {
  globals: readonly string[]
  subcommand: string
  rest: readonly string[]
} {
  const end = gitGlobals(args)
  return { globals: args.slice(0, end), subcommand: args[end] ?? "", rest: args.slice(end + 1) }
}
