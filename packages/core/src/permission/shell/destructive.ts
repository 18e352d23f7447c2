import { gitParts } from "./git-globals.ts"

interface DestructiveRow {
  readonly commands: readonly string[]
  /** What could be lost. */
  readonly reason: string
  readonly when?: (args: readonly string[]) => boolean
  readonly example: string
}

const always = (names: string, reason: string, example: string): DestructiveRow => ({
  commands: names.split(" "),
  reason,
  example,
})

/** A row for a subcommand of git. */
const git = (
  subcommand: string,
  reason: string,
  example: string,
  when: (rest: readonly string[]) => boolean = () => true,
): DestructiveRow => ({
  commands: ["git"],
  reason,
  example,
  when: (args) => {
    const parts = gitParts(args)
    return parts.subcommand === subcommand && when(parts.rest)
  },
})

const some = (pattern: RegExp) => (args: readonly string[]) => args.some((arg) => pattern.test(arg))

/** What cannot be taken back. The first row that fits counts. */
export const destructiveRows: readonly DestructiveRow[] = [
  always("rm rmdir unlink shred trash srm", "what it removes is gone", "rm x"),
  always("dd", "what it writes over is gone", "dd if=a of=b"),
  always("truncate", "what the file holds behind that size is gone", "truncate -s 0 x"),
  always("wipefs mkswap fdisk sfdisk parted mkfs format diskutil", "what the disk holds is gone", "mkswap x"),
  always("kill pkill killall xkill", "what the process has not saved is gone", "kill 1"),
  always("shutdown reboot halt poweroff", "the machine stops", "reboot"),
  always("chmod chown chgrp", "the rights before are not kept anywhere", "chmod 600 x"),
  always("mv gmv", "what stands at the new name is gone", "mv a b"),
  always("dropdb dropuser", "the database is gone", "dropdb x"),
  git("reset", "changes that are not committed are gone", "git reset --hard", some(/^--(?:hard|merge|keep)$/)),
  git(
    "clean",
    "files that git does not know are gone",
    "git clean -fd",
    (rest) => !rest.some((arg) => /^-(?!-)\w*n|^--dry/.test(arg)),
  ),
  git("checkout", "changes in the files it takes back are gone", "git checkout -- x"),
  git("restore", "changes in the files it takes back are gone", "git restore x"),
  git(
    "switch",
    "changes that are not committed are gone",
    "git switch -f x",
    some(/^-(?!-)\w*[fC]|^--(?:force|discard)/),
  ),
  git("stash", "what the stash holds is gone", "git stash drop", (rest) => rest[0] === "drop" || rest[0] === "clear"),
  git(
    "branch",
    "commits that only this branch holds are hard to find again",
    "git branch -D x",
    some(/^-(?!-)\w*[DdMf]|^--(?:delete|force)/),
  ),
  git("tag", "the tag is gone, or means another commit", "git tag -d x", some(/^-(?!-)\w*[df]|^--(?:delete|force)/)),
  git(
    "push",
    "commits of the other side are gone",
    "git push --force",
    some(/^-(?!-)\w*[fd]|^--(?:force|delete|mirror|prune)|^[+:]/),
  ),
  git(
    "rebase",
    "the commits before are hard to find again",
    "git rebase main",
    (rest) => !rest.some((arg) => /^--(?:abort|quit|show|edit-todo)/.test(arg)),
  ),
  git("rm", "the files are gone", "git rm x", (rest) => !rest.includes("--cached")),
  git("reflog", "what only the log of moves holds is gone", "git reflog expire", (rest) =>
    ["expire", "delete"].includes(rest[0] ?? ""),
  ),
  git("gc", "commits that nothing names are gone", "git gc --prune=now", some(/^--prune/)),
  git("prune", "commits that nothing names are gone", "git prune"),
  git(
    "worktree",
    "changes in that worktree are gone",
    "git worktree remove x",
    (rest) => rest[0] === "remove" || rest[0] === "prune",
  ),
  git("filter-branch", "every commit is written anew", "git filter-branch"),
  git("filter-repo", "every commit is written anew", "git filter-repo"),
  git("update-ref", "what the name meant before is hard to find again", "git update-ref -d x"),
  git("submodule", "changes in the submodule are gone", "git submodule deinit x", (rest) => rest[0] === "deinit"),
  { commands: ["find", "gfind"], reason: "what it finds is gone", example: "find . -delete", when: some(/^-delete$/) },
  {
    commands: ["docker", "podman"],
    reason: "what the container or volume holds is gone",
    example: "docker volume rm x",
    when: some(/^(?:rm|rmi|prune|down)$/),
  },
  {
    commands: ["kubectl", "oc"],
    reason: "what runs there is gone",
    example: "kubectl delete pod x",
    when: some(/^(?:delete|drain|replace)$/),
  },
  {
    commands: ["terraform", "tofu", "pulumi"],
    reason: "what it manages is gone",
    example: "terraform destroy",
    when: some(/^-?-?destroy$|^state$/),
  },
  {
    commands: ["helm"],
    reason: "what runs there is gone",
    example: "helm uninstall x",
    when: some(/^(?:uninstall|delete|rollback)$/),
  },
  {
    commands: ["gh"],
    reason: "what stands there is gone",
    example: "gh repo delete x",
    when: some(/^(?:delete|archive)$/),
  },
  {
    commands: ["aws", "gcloud", "az"],
    reason: "what stands there is gone",
    example: "aws s3 rm x",
    when: some(/^(?:rm|rb|delete|purge|terminate)$|^(?:delete|terminate|deregister)-/),
  },
  {
    commands: ["npm", "pnpm", "yarn"],
    reason: "others can no longer use the version",
    example: "npm unpublish x",
    when: some(/^unpublish$/),
  },
  {
    commands: ["redis-cli"],
    reason: "what the database holds is gone",
    example: "redis-cli FLUSHALL",
    when: some(/^flush(?:all|db)$/i),
  },
]

/** What could be lost by a command; undefined where nothing is. */
export function destructiveReason(command: string, args: readonly string[]): string | undefined {
  const name = command.startsWith("mkfs.") ? "mkfs" : command
  return destructiveRows.find((row) => row.commands.includes(name) && (row.when?.(args) ?? true))?.reason
}
