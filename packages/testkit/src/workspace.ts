import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

/** A project in a temporary directory, with a home of its own. Removed when disposed. */
export interface TempWorkspace extends AsyncDisposable {
  /** Real path of the project's directory. */
  readonly dir: string
  /** Real path of the isolated home; config, data, state and cache directories lie in it. */
  readonly home: string
  /** Environment for child processes: PATH of the tests, HOME, XDG directories, no git configuration of the machine. */
  readonly env: Readonly<Record<string, string>>
  /** Writes a file and its directories; relative paths start at `dir`. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** The file as UTF-8. Rejects when it is missing. */
  read(path: string): Promise<string>
  exists(path: string): Promise<boolean>
  /** Runs git in `dir` with a fixed identity and date; gives stdout, rejects with stderr on a non-zero exit. */
  git(args: readonly string[]): Promise<string>
}

/** Makes a workspace of `files` (path → text). With `git: true` it is a repository whose first commit holds them. */
export async function tempWorkspace(
  options: { files?: Readonly<Record<string, string | Uint8Array>>; git?: boolean } = {},
): Promise<TempWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cairn-test-")))
  const dir = join(root, "project")
  const home = join(root, "home")
  const workspace: TempWorkspace = {
    dir,
    home,
    env: environment(root, home),
    async write(path, content) {
      const target = at(dir, path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, content)
    },
    read: (path) => readFile(at(dir, path), "utf8"),
    exists: (path) =>
      stat(at(dir, path)).then(
        () => true,
        () => false,
      ),
    git: (args) => git(dir, workspace.env, args),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  }
  try {
    for (const path of [dir, home, join(root, "tmp")]) await mkdir(path)
    for (const [path, content] of Object.entries(options.files ?? {})) await workspace.write(path, content)
    if (options.git) await commitAll(workspace)
    return workspace
  } catch (error) {
    await workspace[Symbol.asyncDispose]()
    throw error
  }
}

const at = (dir: string, path: string): string => (isAbsolute(path) ? path : join(dir, path))

function environment(root: string, home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    LANG: "C.UTF-8",
    HOME: home,
    USERPROFILE: home,
    TMPDIR: join(root, "tmp"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_TERMINAL_PROMPT: "0",
  }
}

async function commitAll(workspace: TempWorkspace): Promise<void> {
  await workspace.git(["init", "--quiet", "--initial-branch=main"])
  await workspace.git(["add", "--all"])
  await workspace.git(["commit", "--quiet", "--allow-empty", "--message=first"])
}

const identity = ["user.name=Test", "user.email=test@example.invalid", "commit.gpgsign=false", "core.autocrlf=false"]

async function git(dir: string, env: Readonly<Record<string, string>>, args: readonly string[]): Promise<string> {
  const date = "2026-01-01T00:00:00Z"
  const child = Bun.spawn(["git", ...identity.flatMap((entry) => ["-c", entry]), ...args], {
    cwd: dir,
    env: { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`git ${args.join(" ")} exited with ${code}: ${problem.trim()}`)
  return out
}
