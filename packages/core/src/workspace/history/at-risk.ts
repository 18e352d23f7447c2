import { lstat } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import type { Git } from "../../process/git.ts"
import { shownPath, shownSize } from "../files.ts"
import { contains } from "../paths.ts"
import { isInRepository, locate, type Location } from "../project.ts"
import { blobQuota } from "./collect.ts"
import { readStatus } from "./git-status.ts"
import { ignoredBelow, isReadable } from "./listing.ts"
import type { Threat, Unkept } from "./threat.ts"
import { isPassedOver, walkFiles } from "./walk-files.ts"

/** What would be lost by a command, as it was found to be. */
export interface AtRisk {
  readonly command: string
  /** Files whose content stands nowhere else, absolute, the small ones first: together they fit into the quota. */
  readonly files: readonly string[]
  /** What is at risk as well and cannot be kept, in words. */
  readonly beyond: readonly string[]
  /** Names of git, each with what it means now. */
  readonly refs: readonly { readonly shown: string; readonly commit: string; readonly bringBack: string }[]
  /** The command takes some of it: which, shows only when it runs. */
  readonly vague: boolean
}

/** Most files of one command that are kept whatever their size. */
const mostAtRisk = 100_000

interface RiskDeps {
  readonly git: Git
  readonly location: Location
}

interface Found {
  readonly files: Set<string>
  readonly beyond: Set<string>
}

/** Looks up what is at risk now. What git does not answer is taken from the disk; writes nothing. */
export async function findAtRisk(deps: RiskDeps, threats: readonly Threat[], signal: AbortSignal): Promise<AtRisk[]> {
  const all: AtRisk[] = []
  for (const threat of threats) {
    const { command } = threat
    const found: Found = { files: new Set(), beyond: new Set() }
    const refs = threat.kind === "ref" ? await refOf(deps, threat, signal) : []
    if (threat.kind === "git") await ofRepository(deps, threat, found, signal)
    if (threat.kind === "paths") await ofPaths(deps, threat, found, signal)
    const files = await fitting(found, signal)
    all.push({
      command,
      files,
      beyond: [...found.beyond],
      refs,
      vague: threat.kind === "paths" && threat.vague === true,
    })
  }
  return all
}

type GitThreat = Extract<Threat, { kind: "git" }>

async function ofRepository(deps: RiskDeps, threat: GitThreat, found: Found, signal: AbortSignal): Promise<void> {
  const located = await locate(threat.cwd)
  if (!located.ok || located.value.gitDir === undefined) return
  const { worktree } = located.value
  const mode = threat.untracked === "upper" || threat.ignored === "upper" ? "normal" : "all"
  const status = await readStatus(deps.git, threat.cwd, signal, { only: threat.only, untracked: mode })
  if (!status.ok) {
    found.beyond.add(`what git would have said (${status.error.message})`)
    return
  }
  const { changed, untracked, ignored } = status.value
  const trees = await treePaths(deps.git, threat, untracked.length + ignored.length > 0, worktree, signal)
  const chosen = (paths: readonly string[], which: Unkept | undefined) =>
    which === undefined ? [] : paths.filter((path) => (which === "in_trees" ? trees(path) : true))
  if (threat.changed) put(found, changed, worktree)
  const unknown = chosen(untracked, threat.untracked)
  put(found, unknown, worktree)
  // With `normal` what ends in a slash is a directory that stays; else it is a repository of its own.
  const repositories = unknown.filter((path) => path.endsWith("/"))
  if (threat.nested)
    for (const path of repositories) await wholeRepository(join(worktree, path.slice(0, -1)), found, signal)
  const without = chosen(ignored, threat.ignored)
  put(found, without, worktree)
  if (threat.ignored === "upper") return
  const below = await ignoredBelow(worktree, threat.ignored === "in_trees" ? ignored : without, mostAtRisk, signal)
  const inTrees = (path: string) => threat.ignored === "all" || trees(relative(worktree, path))
  if (threat.ignored !== undefined) for (const path of below.files) if (inTrees(path)) found.files.add(path)
  if (threat.ignored === "all") passedOver(found, below.passedOver)
  if (below.cut) found.beyond.add(`all but ${mostAtRisk} files`)
}

/** Everything at some paths: of each repository what it has not, elsewhere all. */
async function ofPaths(
  deps: RiskDeps,
  { paths, vague = false }: Extract<Threat, { kind: "paths" }>,
  found: Found,
  signal: AbortSignal,
): Promise<void> {
  const byRoot = new Map<string, string[]>()
  for (const path of paths) {
    const info = await lstat(path).catch(() => undefined)
    if (!info) continue
    if (path.split("/").includes(".git")) {
      found.beyond.add(shownPath(path))
      continue
    }
    const own = info.isDirectory() ? await lstat(join(path, ".git")).catch(() => undefined) : undefined
    const around = own && (vague || own.isFile()) ? await locate(path) : await locate(dirname(path))
    const root = around.ok && around.value.gitDir !== undefined ? around.value.worktree : undefined
    if (own?.isDirectory() && !vague) await wholeRepository(path, found, signal)
    else if (root === undefined) await walked(path, info.isDirectory(), found, signal)
    else byRoot.set(root, [...(byRoot.get(root) ?? []), path])
  }
  for (const [root, own] of byRoot) {
    const only = own.map((path) => `:(top,literal)${relative(root, path)}`).filter((path) => path !== ":(top,literal)")
    const all = { changed: true, untracked: "all", ignored: "all", nested: true } as const
    await ofRepository(deps, { kind: "git", command: "", cwd: root, only, ...all }, found, signal)
  }
}

/** A repository of which nothing is kept elsewhere: all its files, but not what git keeps. */
async function wholeRepository(path: string, found: Found, signal: AbortSignal): Promise<void> {
  found.beyond.add(`the repository in ${shownPath(path)} (its commits)`)
  await walked(path, true, found, signal)
}

async function walked(path: string, directory: boolean, found: Found, signal: AbortSignal): Promise<void> {
  if (!directory) {
    found.files.add(path)
    return
  }
  if (isPassedOver(basename(path))) {
    passedOver(found, [path])
    return
  }
  const below = await walkFiles(path, mostAtRisk, signal)
  for (const each of below.files) found.files.add(each)
  passedOver(found, below.passedOver)
  if (below.cut) found.beyond.add(`all but ${mostAtRisk} files in ${shownPath(path)}`)
}

function put({ files }: Found, paths: readonly string[], worktree: string): void {
  for (const path of paths) if (!path.endsWith("/")) files.add(join(worktree, path))
}

function passedOver({ beyond }: Found, directories: readonly string[]): void {
  for (const name of new Set(directories.map((path) => basename(path))))
    if (name !== ".git") beyond.add(shownPath(name))
}

/** Is a path in one of the named trees? In doubt it is. */
async function treePaths(
  git: Git,
  { trees = [] }: GitThreat,
  wanted: boolean,
  cwd: string,
  signal: AbortSignal,
): Promise<(path: string) => boolean> {
  const all = new Set<string>()
  for (const name of wanted ? trees : []) {
    if (name.startsWith(":")) continue // a pattern of paths
    if (!/^[\w@/.^~{}-]+$/.test(name)) return () => true
    const call = { cwd, signal, maxBytes: 32 * 1024 * 1024 }
    const said = await git.run(["ls-tree", "-r", "-z", "--full-tree", "--name-only", name], call)
    for (const path of said.ok ? said.value.split("\0") : []) all.add(path)
    if (!said.ok && said.error.kind !== "failed") return () => true
  }
  return (path) => all.has(path)
}

async function refOf(
  { git }: RiskDeps,
  { cwd, ref, shown, bringBack }: Extract<Threat, { kind: "ref" }>,
  signal: AbortSignal,
): Promise<AtRisk["refs"]> {
  if (!(await isInRepository(cwd))) return []
  const said = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref], { cwd, signal })
  const commit = said.ok ? said.value.trim().slice(0, 12) : ""
  return commit === "" ? [] : [{ shown, commit, bringBack: bringBack(commit) }]
}

/** The files that exist and fit into the quota together, the small ones first; what does not is said. */
async function fitting({ files, beyond }: Found, signal: AbortSignal): Promise<string[]> {
  const sized: { path: string; size: number }[] = []
  let unreadable: string | undefined
  for (const path of files) {
    signal.throwIfAborted()
    if (!isReadable(path)) unreadable ??= path
    const info = await lstat(path).catch(() => undefined)
    if (info && !info.isDirectory()) sized.push({ path, size: info.isFile() ? info.size : 0 })
  }
  if (unreadable !== undefined) beyond.add(`names that are no valid UTF-8, such as ${shownPath(unreadable)}`)
  sized.sort((a, b) => a.size - b.size)
  const kept: string[] = []
  let bytes = 0
  for (const { path, size } of sized) {
    bytes += size
    if (bytes > blobQuota || kept.length >= mostAtRisk) beyond.add(`${shownPath(path)} (${shownSize(size)})`)
    else kept.push(path)
  }
  return kept
}

/** What is lost, for people: how many files, the first of them by name, and what undo will not bring back. */
export function lossesOf(risks: readonly AtRisk[], worktree: string): ReadonlyMap<string, string> {
  const losses = new Map<string, string>()
  for (const risk of risks) {
    const text = riskText(risk, worktree)
    const known = losses.get(risk.command)
    if (text !== "") losses.set(risk.command, known === undefined || known === text ? text : `${known}; ${text}`)
  }
  return losses
}

const mostNamed = 3

function riskText({ files, beyond, refs, vague }: AtRisk, worktree: string): string {
  const name = (path: string) => shownPath(contains(worktree, path) ? relative(worktree, path) : path)
  const names = files.map(name).toSorted().slice(0, mostNamed)
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : ""
  const count = files.length === 1 ? "1 file" : `${files.length} files`
  const unkept = [...beyond].slice(0, mostNamed).join(", ") + (beyond.length > mostNamed ? ", …" : "")
  return [
    ...(files.length > 0 ? [`${count}${vague ? ", or some of them" : ""}: ${names.join(", ")}${more}`] : []),
    ...(beyond.length > 0 ? [`not kept for undo: ${unkept}`] : []),
    ...refs.map(({ shown, commit, bringBack }) => `${shown} is ${commit} (${bringBack})`),
  ].join("; ")
}
