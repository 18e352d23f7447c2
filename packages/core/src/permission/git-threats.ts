import type { Threat, Unkept } from "../workspace/history/threat.ts"

/** Arguments of a subcommand: what stands in front of `--`, and the paths behind it. */
interface GitArgs {
  readonly options: readonly string[]
  readonly operands: readonly string[]
  readonly paths: readonly string[]
}

type FileThreat = Omit<Extract<Threat, { kind: "git" }>, "kind" | "command" | "cwd">
export type GitThreat =
  | ({ readonly kind: "git" } & FileThreat)
  | Omit<Extract<Threat, { kind: "ref" }>, "command" | "cwd">
  /** All that is in a working tree, named as git's arguments name it. */
  | { readonly kind: "tree"; readonly path: string }

const has = ({ options }: GitArgs, pattern: RegExp) => options.some((option) => pattern.test(option))
const files = (threat: FileThreat): GitThreat[] => [{ kind: "git", ...threat }]
const allChanged: FileThreat = { only: [], changed: true }
const overwritten = (trees: readonly string[]): Pick<FileThreat, "untracked" | "ignored" | "trees"> =>
  trees.length === 0 ? {} : { untracked: "in_trees", ignored: "in_trees", trees }
const listed = /^--pathspec/

/** One row a subcommand that can destroy what nothing else has. A word too many is no harm: more is kept then. */
const rows: Readonly<Record<string, (args: GitArgs) => readonly GitThreat[]>> = {
  reset: (args) => (has(args, /^--(?:h|m|k)/) ? files({ ...allChanged, ...overwritten(args.operands) }) : []),
  checkout: (args) => {
    const { operands, paths } = args
    const whole = has(args, /^-(?!-)\w*f|^--f/) || has(args, listed)
    const only = whole ? [] : [...operands, ...paths]
    return whole || only.length > 0 ? files({ only, changed: true, ...overwritten(operands) }) : []
  },
  switch: (args) =>
    has(args, /^-(?!-)\w*f|^--(?:f|d)/) ? files({ ...allChanged, ...overwritten(args.operands) }) : [],
  restore: (args) => {
    if (has(args, /^-(?!-)\w*S|^--st/) && !has(args, /^-(?!-)\w*W|^--w/)) return []
    const trees = args.options.flatMap((option) => /^(?:--s\w*|-s)=?(.+)$/.exec(option)?.[1] ?? [])
    const only = has(args, listed) ? [] : [...args.operands, ...args.paths]
    return files({ only, changed: true, ...overwritten(trees) })
  },
  rm: (args) => {
    if (has(args, /^--c/)) return []
    return files({ only: has(args, listed) ? [] : [...args.operands, ...args.paths], changed: true })
  },
  clean: (args) => {
    if (has(args, /^-(?!-)\w*n|^--dry/)) return []
    const only = [...args.operands, ...args.paths]
    // Paths that are named are cleaned with all that is in them.
    const reach: Unkept = only.length > 0 || has(args, /^-(?!-)\w*d/) ? "all" : "upper"
    const forced = args.options.join("").split("f").length > 2
    return files({
      only: only.length > 0 ? only : ["."],
      changed: false,
      ...(!has(args, /^-(?!-)\w*X/) && { untracked: reach }),
      ...(has(args, /^-(?!-)\w*[xX]/) && { ignored: reach }),
      ...(forced && { nested: true }),
    })
  },
  stash: (args) => {
    const [word = "push", name = "0"] = args.operands
    if (word === "clear") return [stashEntry("stash")]
    if (word === "drop") return [stashEntry(/^\d+$/.test(name) ? `stash@{${name}}` : name)]
    if (!/^(?:push|save|-)/.test(word)) return []
    const all = has(args, /^-(?!-)\w*a|^--a/)
    return files({
      ...allChanged,
      ...((all || has(args, /^-(?!-)\w*u|^--i/)) && { untracked: "all" }),
      ...(all && { ignored: "all" }),
    })
  },
  rebase: () => files(allChanged),
  merge: (args) => (has(args, /^--(?:abort|quit|autostash)/) ? files(allChanged) : []),
  "cherry-pick": (args) => (has(args, /^--(?:abort|quit|skip)/) ? files(allChanged) : []),
  revert: (args) => (has(args, /^--(?:abort|quit|skip)/) ? files(allChanged) : []),
  am: (args) => (has(args, /^--(?:abort|quit|skip)/) ? files(allChanged) : []),
  branch: (args) =>
    has(args, /^-(?!-)\w*[DdMf]|^--(?:d|f)/)
      ? args.operands.map((name) => ref(`refs/heads/${name}`, name, (commit) => `git branch ${name} ${commit}`))
      : [],
  tag: (args) =>
    has(args, /^-(?!-)\w*[df]|^--(?:d|f)/)
      ? args.operands.map((name) => ref(`refs/tags/${name}`, name, (commit) => `git tag ${name} ${commit}`))
      : [],
  "update-ref": (args) =>
    args.operands.slice(0, 1).map((name) => ref(name, name, (commit) => `git update-ref ${name} ${commit}`)),
  worktree: ({ operands }) => (operands[0] === "remove" ? operands.slice(1).map(tree) : []),
  submodule: ({ operands }) => (operands[0] === "deinit" ? operands.slice(1).map(tree) : []),
}

const ref = (name: string, shown: string, bringBack: (commit: string) => string): GitThreat => ({
  kind: "ref",
  ref: name,
  shown,
  bringBack,
})
const stashEntry = (name: string): GitThreat => ref(name, name, (commit) => `git stash apply ${commit}`)
const tree = (path: string): GitThreat => ({ kind: "tree", path })

/** What a subcommand of git could destroy. Arguments as the program gets them. */
export function gitThreats(subcommand: string, rest: readonly string[]): readonly GitThreat[] {
  const row = Object.hasOwn(rows, subcommand) ? rows[subcommand] : undefined
  return row?.(split(subcommand, rest)) ?? []
}

/** Options with a value of their own, which would pass for a path and narrow what is kept. */
const valued: Readonly<Record<string, RegExp>> = {
  clean: /^(?:-(?!-)\w*e|--exclude)$/,
  stash: /^(?:-(?!-)\w*m|--message)$/,
  restore: /^(?:-(?!-)\w*s|--so\w*|--conflict)$/,
}

function split(subcommand: string, rest: readonly string[]): GitArgs {
  const dashes = rest.indexOf("--")
  const options: string[] = []
  const operands: string[] = []
  const before = dashes < 0 ? rest : rest.slice(0, dashes)
  for (let at = 0; at < before.length; at++) {
    const word = before[at] ?? ""
    if (!word.startsWith("-") || word === "-") operands.push(word)
    else {
      options.push(valued[subcommand]?.test(word) ? `${word}=${before[++at] ?? ""}` : word)
    }
  }
  return { options, operands, paths: dashes < 0 ? [] : rest.slice(dashes + 1) }
}
