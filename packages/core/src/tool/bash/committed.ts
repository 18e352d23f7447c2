import { readlinkSync } from "node:fs"
import { join, relative } from "node:path"
import { TaskGroup } from "@cairn/kernel/task"
import type { Git } from "../../process/git.ts"
import { bytesOf, look, namesIn, textOf } from "./disk-look.ts"

/** Most entries of a place that are looked at. */
const mostEntries = 1_000

/** The files and links at a path or below it; undefined when there are too many to look at. */
export function entriesAt(path: string): string[] | undefined {
  const found: string[] = []
  const open = [path]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.length + open.length > mostEntries) return undefined
    const info = look(at)
    if (info?.isDirectory()) for (const name of namesIn(at)) open.push(join(at, name))
    else if (info) found.push(at)
  }
  return found
}

/** The commit that HEAD names, without asking git; undefined when there is none, or when it is kept in another way. */
export function headOf({
  gitDir,
  commonDir,
}: {
  readonly gitDir?: string | undefined
  readonly commonDir?: string | undefined
}): string | undefined {
  if (gitDir === undefined || commonDir === undefined) return undefined
  const head = textOf(join(gitDir, "HEAD"))?.trim() ?? ""
  const name = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1]
  if (name === undefined) return commit(head)
  if (name.split("/").includes("..")) return undefined
  const packed = () =>
    textOf(join(commonDir, "packed-refs"))
      ?.split("\n")
      .find((line) => line.endsWith(` ${name}`))
      ?.split(" ", 1)[0]
  return commit((textOf(join(gitDir, name)) ?? textOf(join(commonDir, name)))?.trim() ?? packed() ?? "")
}

const commit = (text: string) => (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : undefined)

interface CommittedDeps {
  readonly git: Git
  readonly worktree: string
}

/** Which of these files stand so in one of the commits, or are missing in it as on the disk. What git keeps with other line ends stands so too. */
export async function committedOf(
  paths: readonly string[],
  commits: readonly string[],
  { git, worktree }: CommittedDeps,
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>()
  if (paths.length === 0) return kept
  await using group = new TaskGroup()
  for (const name of new Set(commits)) {
    const names = paths.map((path) => relative(worktree, path))
    const call = { cwd: worktree, signal: group.signal }
    const listed = await git.run(["ls-tree", "-r", "-z", "--full-tree", name, "--", ...names], call)
    const blobs = new Map(listed.ok ? listed.value.split("\0").flatMap((line) => entryOf(line, worktree)) : [])
    for (const path of paths) {
      const blob = blobs.get(path)
      if (blob === undefined ? listed.ok && look(path) === undefined : isBlob(path, blob)) kept.add(path)
    }
  }
  return kept
}

/** `100644 blob <id>\t<path>` */
function entryOf(line: string, worktree: string): [string, string][] {
  const [, id, path] = /^\d+ blob ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? []
  return id === undefined || path === undefined ? [] : [[join(worktree, path), id]]
}

function isBlob(path: string, id: string): boolean {
  if (look(path)?.isSymbolicLink()) return blobID(Buffer.from(readlinkSync(path)), id) === id
  const bytes = bytesOf(path)
  if (!bytes) return false
  if (blobID(bytes, id) === id) return true
  return blobID(Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1"), id) === id
}

/** The id of a blob with these bytes, of the kind that `like` is. */
function blobID(bytes: Uint8Array, like: string): string {
  const hasher = new Bun.CryptoHasher(like.length === 64 ? "sha256" : "sha1")
  return hasher.update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}
