import { stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Span } from "@cairn/kernel/span"
import type { ToolFailure } from "@cairn/schema/error"
import type { TextMatch } from "@cairn/schema/file"
import type { Supervisor } from "../process/supervisor.ts"
import { ioFailure, openDirectory, openRegular, shownPath } from "./files.ts"
import { globMatcher } from "./glob.ts"
import { isInRepository } from "./project.ts"
import { recordSplitter } from "./records.ts"
import { type Hit, parseHit, parseMatch } from "./search-hit.ts"

interface Query {
  /** Real path of a directory, or (grep) of a file. */
  readonly path: string
  /** Most results. */
  readonly limit: number
  readonly signal: AbortSignal
  /** What searches. */
  readonly span?: Span | undefined
  /** Leaves out what it refuses, before anything is counted. The path is relative as in the results. */
  readonly keep?: (path: string) => boolean
}

/**
 * Results, newest file first, then by path and line; with more than `manyResults` of them by path alone (`order`).
 * Paths are relative to the directory of the query. `truncated`: there are more.
 */
export interface Found<T> {
  readonly results: readonly T[]
  readonly truncated: boolean
  readonly order: "newest" | "path"
  /** The search was ended after its time; the results are what came so far. */
  readonly timedOut: boolean
}

/** Search by ripgrep: ignore files are obeyed, hidden files are included, version control directories are not. */
export interface Search {
  /** Lines that match a regular expression (Rust syntax, linear time), in files that match the glob `include`. */
  grep(pattern: string, query: Query & { readonly include?: string }): Promise<Result<Found<Hit>, ToolFailure>>
  /** The same as ripgrep tells it: whole lines with every match in them, for programs. */
  matches(pattern: string, query: Query): Promise<Result<Found<TextMatch>, ToolFailure>>
  /** Files that match a glob (all without one). */
  files(query: Query & { readonly pattern?: string }): Promise<Result<Found<string>, ToolFailure>>
}

export interface SearchOptions {
  readonly supervisor: Supervisor
  /** Path of ripgrep; undefined when there is none. Called at the first search. */
  readonly ripgrep: () => string | undefined
  readonly timeoutMs?: number
}

/** Above this number results are not gathered and sorted by age, but listed by path up to the limit. */
export const manyResults = 2_000
const longestRecord = 1_048_576
const longestExpression = 65_536

export function createSearch(options: SearchOptions): Search {
  const run = createRun(options)
  return {
    async grep(pattern, query) {
      const problem = problemOf(pattern)
      if (problem) return err(problem)
      const wanted = query.include === undefined ? () => true : globMatcher(query.include)
      const keep = (hit: Hit) => wanted(hit.path) && (query.keep?.(hit.path) ?? true)
      const args = grepArgs(pattern, query.limit, typeArgs(query.include))
      return run(args, query, 0x0a, (record, cut) => hitOf(record, cut, keep), byLine)
    },
    async matches(pattern, query) {
      const problem = problemOf(pattern)
      if (problem) return err(problem)
      const take = (record: string, cut: boolean) => {
        const match = cut ? undefined : parseMatch(record)
        return match && (query.keep?.(match.path.text) ?? true) ? { path: match.path.text, match } : undefined
      }
      const byNumber = (a: { match: TextMatch }, b: { match: TextMatch }) => a.match.line_number - b.match.line_number
      const found = await run(grepArgs(pattern, query.limit, []), query, 0x0a, take, byNumber)
      return found.ok ? ok({ ...found.value, results: found.value.results.map(({ match }) => match) }) : found
    },
    files(query) {
      const wanted = query.pattern === undefined ? () => true : globMatcher(query.pattern)
      const keep = (path: string) => wanted(path) && (query.keep?.(path) ?? true)
      const take = (record: string, cut: boolean) => {
        const path = record.replace(/^\.\//, "")
        return !cut && keep(path) ? { path } : undefined
      }
      return run(["--files", "--null", ...depthArgs(query.pattern)], query, 0, take, () => 0).then((found) =>
        found.ok ? ok({ ...found.value, results: found.value.results.map((file) => file.path) }) : found,
      )
    },
  }
}

function problemOf(pattern: string): ToolFailure | undefined {
  if (pattern.length > longestExpression) return failure("invalid_arguments", "The pattern is too long.")
  return pattern.includes("\0") ? failure("invalid_arguments", "The pattern contains a NUL character.") : undefined
}

function grepArgs(pattern: string, limit: number, only: readonly string[]): string[] {
  const lines = /\n|\\n/.test(pattern) ? ["--multiline"] : []
  return ["--json", "--max-count", `${limit + 1}`, ...lines, ...only, "-e", pattern]
}

type Take<T> = (record: string, cut: boolean) => T | undefined

function createRun({ supervisor, ripgrep, timeoutMs = 60_000 }: SearchOptions) {
  let program: string | undefined
  /** One pass; "stop" after `most` results. */
  const pass = async <T>(
    args: readonly string[],
    query: Query,
    target: Target,
    separator: number,
    take: Take<T>,
    most: number,
  ) => {
    const results: T[] = []
    const splitter = recordSplitter(separator, longestRecord, (record, cut) => {
      const result = results.length < most ? take(record, cut) : undefined
      if (result !== undefined) results.push(result)
    })
    const ran = await supervisor.run({
      argv: [program ?? "rg", ...common, ...target.flags, ...args, "--", target.name],
      cwd: target.directory,
      signal: query.signal,
      ...(query.span && { span: query.span }),
      timeoutMs,
      maxBytes: 8_192,
      onOutput: (chunk, stream) => {
        if (stream === "stderr") return
        splitter.push(chunk)
        if (results.length >= most) return "stop"
      },
    })
    splitter.end()
    return { ran, results }
  }

  return async <T extends { readonly path: string }>(
    args: readonly string[],
    query: Query,
    separator: number,
    take: Take<T>,
    within: (a: T, b: T) => number,
  ): Promise<Result<Found<T>, ToolFailure>> => {
    program ??= ripgrep()
    if (program === undefined) return err(failure("io", "ripgrep (rg) was not found. Install it, or search with bash."))
    const target = await targetOf(query.path)
    if (!target.ok) return target
    await using opened = target.value
    const first = await pass(args, query, opened, separator, take, manyResults + 1)
    const many = first.results.length > manyResults
    // So many come in whatever order the threads find them; sorted by path the same ones come every time.
    const { ran, results } = many
      ? await pass(["--sort", "path", ...args], query, opened, separator, take, query.limit + 1)
      : first
    if (!ran.ok) return err(failure("io", ran.error.message))
    const { exitCode, stderr, stopped, timedOut } = ran.value
    const complaint = stderr.replace(/^rg: /, "").trim()
    if (results.length === 0 && !stopped && !timedOut && exitCode !== 0 && exitCode !== 1 && complaint !== "")
      return err(failure("invalid_arguments", complaint))
    const sorted = many ? results : await newestFirst(results, opened.directory, within)
    const truncated = sorted.length > query.limit || timedOut
    return ok({ results: sorted.slice(0, query.limit), truncated, order: many ? "path" : "newest", timedOut })
  }
}

/** No user config, no messages about unreadable files (others are still searched), no directories of version control. */
const common = [
  ...["--no-config", "--no-messages", "--hidden", "--color=never"],
  ...[".git", ".hg", ".svn", ".jj"].flatMap((name) => ["--glob", `!${name}`]),
]

interface Target extends AsyncDisposable {
  readonly directory: string
  readonly name: string
  readonly flags: readonly string[]
}

/** Asked by trying: ripgrep passes over what it may not read, and a directory that may not be entered reads like a missing program. */
async function targetOf(path: string): Promise<Result<Target, ToolFailure>> {
  const info = await stat(path).catch(() => undefined)
  if (!info) return err(failure("missing", `${path} does not exist.`))
  const directory = info.isDirectory() ? path : dirname(path)
  if (!info.isDirectory()) {
    const file = await openRegular(path)
    if (!file.ok) return unreadable(file.error, path)
    await file.value.file.close()
  }
  const opened = await openDirectory(directory)
  if (!opened.ok) return unreadable(opened.error, path)
  const { at } = opened.value
  // May it be entered?
  const entered = await stat(`${at}/.`).catch((error: unknown) => ioFailure(error, path))
  if ("kind" in entered) {
    await opened.value[Symbol.asyncDispose]()
    return unreadable(entered, path)
  }
  // Outside of a repository a directory's own ignore files count too, but not those of its parents (a home directory's, say).
  const flags = (await isInRepository(directory)) ? [] : ["--no-require-git", "--no-ignore-parent"]
  const name = info.isDirectory() ? "./" : `./${basename(path)}`
  return ok({ directory: at, name, flags, [Symbol.asyncDispose]: () => opened.value[Symbol.asyncDispose]() })
}

/** The failure, in words for one who wants to search. */
const unreadable = (error: ToolFailure, path: string): Result<never, ToolFailure> =>
  err(
    /\(E(?:ACCES|PERM)\)/.test(error.message)
      ? failure("io", `There is no permission to read ${shownPath(path)}.`)
      : error,
  )

/** A glob of a plain name also narrows what ripgrep opens. As a type, not by --glob, which would override ignore files. */
function typeArgs(include: string | undefined): string[] {
  if (include === undefined || !/^[\w.*?-]+$/.test(include)) return []
  return ["--type-add", `wanted:${include}`, "--type", "wanted"]
}

/** A glob that is tied to its start and crosses no unknown number of directories says how deep its files can lie. */
function depthArgs(pattern: string | undefined): string[] {
  if (!pattern?.startsWith("./") || /\*\*|[{\\]/.test(pattern)) return []
  return ["--max-depth", `${pattern.split("/").length - 1}`]
}

function hitOf(record: string, cut: boolean, keep: (hit: Hit) => boolean): Hit | undefined {
  const hit = parseHit(record, cut)
  return hit && keep(hit) ? hit : undefined
}

function byLine(a: Hit, b: Hit): number {
  return a.line - b.line
}

async function newestFirst<T extends { readonly path: string }>(
  results: readonly T[],
  root: string,
  within: (a: T, b: T) => number,
) {
  const changed = new Map<string, number>()
  const paths = [...new Set(results.map((result) => result.path))]
  await Promise.all(
    paths.map(async (path) => {
      const info = await stat(join(root, path)).catch(() => undefined)
      changed.set(path, info?.mtimeMs ?? 0)
    }),
  )
  const age = (result: T) => changed.get(result.path) ?? 0
  return results.toSorted((a, b) => age(b) - age(a) || (a.path < b.path ? -1 : a.path > b.path ? 1 : within(a, b)))
}

function failure(kind: ToolFailure["kind"], message: string): ToolFailure {
  return { kind, message }
}
