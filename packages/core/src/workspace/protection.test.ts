import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { resolvePath } from "./paths.ts"
import { protectedPaths } from "./protected-paths.ts"
import { createProtection, isProtected, nameMatcher, protectionOf, userPlaces } from "./protection.ts"
import type { UserPlaces } from "./protection.ts"

const places: UserPlaces = {
  home: ["/home/u"],
  config: ["/home/u/.config", "/xdg"],
  data: ["/home/u/.local/share"],
  state: ["/home/u/.local/state"],
}
const protectedBy = (path: string) => isProtected(path, "/w", places)?.reason

test("the agent's own configuration is protected at any depth", () => {
  for (const path of [
    "/w/.cairn/agent/x.md",
    "/w/.cairn",
    "/w/.opencode/plugin/p.ts",
    "/w/cairn.json",
    "/w/a/opencode.jsonc",
  ]) {
    expect(protectedBy(path)).toContain("the agent's own configuration")
  }
  for (const path of [
    "/home/u/.config/opencode/opencode.json",
    "/xdg/cairn/x",
    "/home/u/.local/share/cairn/auth.json",
  ]) {
    expect(protectedBy(path)).toContain("the agent's own")
  }
})

test("plan files are not protected, what only looks like one is", () => {
  expect(protectedBy("/w/.cairn/plans/today.md")).toBeUndefined()
  expect(protectedBy("/w/.cairn/plans/today.ts")).toBeDefined()
  expect(protectedBy("/w/.cairn/plans/deep/today.md")).toBeDefined()
  expect(protectedBy("/w/.cairn/plans")).toBeDefined()
  expect(protectedBy("/w/.git/hooks/.cairn/plans/today.md")).toBeDefined()
})

test("git hooks and configuration, of submodules and worktrees too", () => {
  for (const path of [
    "/w/.git/hooks/pre-commit",
    "/w/.git/config",
    "/w/sub/.git/hooks",
    "/w/.git/modules/lib/hooks/post-checkout",
    "/w/.git/modules/lib/config",
    "/home/u/.gitconfig",
    "/xdg/git/config",
  ]) {
    expect(protectedBy(path)).toBe("git runs programs from here")
  }
  expect(protectedBy("/w/.git/HEAD")).toBeUndefined()
  expect(protectedBy("/w/.github/dependabot.yml")).toBeUndefined()
})

test("shell start-up files count in the home directory only", () => {
  for (const name of [".bashrc", ".zshenv", ".profile", ".config/fish/conf.d/x.fish"]) {
    expect(protectedBy(`/home/u/${name}`)).toBe("a shell start-up file")
    expect(protectedBy(`/w/${name}`)).toBeUndefined()
  }
  expect(protectedBy("/etc/profile.d/x.sh")).toBeDefined()
})

test("CI definitions and editor tasks", () => {
  for (const path of [
    "/w/.github/workflows/ci.yml",
    "/w/.gitlab-ci.yml",
    "/w/.circleci/config.yml",
    "/w/.ci/run",
    "/w/Jenkinsfile",
  ]) {
    expect(protectedBy(path)).toContain("CI definition")
  }
  for (const path of ["/w/.vscode/tasks.json", "/w/x.code-workspace", "/w/.idea/runConfigurations/a.xml"]) {
    expect(protectedBy(path)).toContain("editor")
  }
  expect(protectedBy("/w/.vscode/extensions.json")).toBeUndefined()
})

test("case, unicode form and invisible characters do not get round it", () => {
  expect(protectedBy("/w/.GIT/Hooks/pre-commit")).toBeDefined()
  expect(protectedBy("/w/.g\u200cit/config")).toBeDefined()
  expect(protectedBy("/w/.Cairn/agent.md")).toBeDefined()
})

test("ordinary files and siblings are not protected", () => {
  for (const path of [
    "/w/src/a.ts",
    "/w/.gitignore",
    "/w/git/config",
    "/w/cairn.json.md",
    "/w/.cairnrc",
    "/w/README.md",
    "/w",
  ]) {
    expect(protectedBy(path)).toBeUndefined()
  }
})

test("every row has a reason and at most one wildcard in a name", () => {
  for (const row of protectedPaths) {
    expect(row.reason).not.toBe("")
    expect(row.path.startsWith("/")).toBe(false)
    for (const name of row.path.replace(/\/\*\*$/, "").split("/")) expect(name.split("*").length).toBeLessThanOrEqual(2)
  }
})

let root = ""
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-protection-")))
})
afterEach(() => rm(root, { recursive: true, force: true }))

test("a start-up file that is a link protects its target, by either name", async () => {
  await mkdir(`${root}/home`)
  await mkdir(`${root}/dotfiles`)
  await writeFile(`${root}/dotfiles/bashrc`, "")
  await symlink(`${root}/dotfiles/bashrc`, `${root}/home/.bashrc`)
  const own = userPlaces({}, `${root}/home`)
  expect(isProtected(`${root}/dotfiles/bashrc`, root, own)?.reason).toBe("a shell start-up file")
  expect(isProtected(`${root}/dotfiles/vimrc`, root, own)).toBeUndefined()
})

test("a link to a configuration directory that is gone still counts by its own name", async () => {
  await symlink(`${root}/nowhere`, `${root}/.opencode`)
  const resolved = await resolvePath(".opencode/plugin/x.ts", root)
  expect(resolved.real).toBe(`${root}/nowhere/plugin/x.ts`)
  expect(protectionOf(resolved, root, places)?.reason).toContain("the agent's own")
})

test("a .git that is a file is looked at without harm", async () => {
  await writeFile(`${root}/.git`, "gitdir: elsewhere")
  expect(isProtected(`${root}/src/a.ts`, root, places)).toBeUndefined()
})

test("the places come from the variables and from their defaults", () => {
  const own = userPlaces({ XDG_CONFIG_HOME: `${root}/xdg/` }, `${root}/home`)
  expect(own.config).toEqual([`${root}/xdg`, `${root}/home/.config`])
  expect(userPlaces({ XDG_CONFIG_HOME: "relative" }, "/h").config).toEqual(["/h/.config"])
})

test("directories above a row, by its own names and not by any directory", () => {
  const { below } = createProtection("/w", places)
  for (const path of [
    "/w/.git",
    "/w/sub/.GIT",
    "/w/.github",
    "/w/.vscode",
    "/w/.gitlab",
    "/w/.git/modules",
    "/w/.git/modules/lib",
  ])
    expect([path, below(path)?.scope]).toEqual([path, "any"])
  for (const path of ["/home/u", "/home", "/home/u/.config", "/home/u/.local", "/xdg", "/etc", "/"])
    expect([path, below(path) === undefined]).toEqual([path, false])
  for (const path of ["/w", "/w/src", "/w/git", "/w/.git/objects", "/w/.vscode/x", "/home/u/src", "/home/v", "/usr"])
    expect([path, below(path)]).toEqual([path, undefined])
})

test("a directory that holds the target of a linked row is above it", async () => {
  await mkdir(`${root}/home`)
  await mkdir(`${root}/dotfiles/deep`, { recursive: true })
  await writeFile(`${root}/dotfiles/deep/bashrc`, "")
  await symlink(`${root}/dotfiles/deep/bashrc`, `${root}/home/.bashrc`)
  const { below } = createProtection(root, userPlaces({}, `${root}/home`))
  expect(below(`${root}/dotfiles`)?.reason).toBe("a shell start-up file")
  expect(below(`${root}/dotfile`)).toBeUndefined()
})

test("a pattern reaches what it could match", () => {
  const { reachedBy } = createProtection("/w", places)
  for (const path of [
    "/w/.git/hook*",
    "/w/.g*",
    "/w/.gi[t]/hooks/x",
    "/w/.g?t/config",
    "/w/.git/*",
    "/w/x/.github/w*/a.yml",
    "/w/Jenkins*",
    "/home/u/.bash*",
    "/w/.git/[c]onfig",
    "/w/.[!a]it/config",
  ])
    expect([path, reachedBy(path) === undefined]).toEqual([path, false])
  for (const path of [
    "/w/*",
    "/w/*.ts",
    "/w/src/**/*.ts",
    "/w/.git/refs/*",
    "/w/.next*",
    "/w/.[!g]it/config",
    "/w/?.json",
  ])
    expect([path, reachedBy(path)]).toEqual([path, undefined])
})

test("a pattern of one name is the shell's", () => {
  const names = ["a", "ab", "abc", ".a", "a.b", "[", "]", "-", "a]", "é", "A"]
  const listed = (pattern: string) => names.filter((name) => nameMatcher(pattern).test(name))
  expect(listed("a*")).toEqual(["a", "ab", "abc", "a.b", "a]"])
  expect(listed("?")).toEqual(["a", "[", "]", "-", "é", "A"])
  expect(listed("[ab]?")).toEqual(["ab", "a]"])
  expect(listed("[!a]")).toEqual(["[", "]", "-", "é", "A"])
  expect(listed("[]a]")).toEqual(["a", "]"])
  expect(listed(".*")).toEqual([".a"])
  expect(listed("a.b")).toEqual(["a.b"])
  expect(listed("*]")).toEqual(["]", "a]"])
  // What every shell reads in its own way is taken for anything.
  expect(listed("[z-a]b")).toEqual(["ab"])
  expect(listed("[9-0]b")).toContain("ab")
  expect(listed("[a-c]")).toEqual(listed("?"))
  expect(listed("[[:alpha:]]*")).toEqual(listed("*"))
  expect(listed(".[[:alpha:]]")).toEqual([".a"])
  expect(listed("[^[:digit:]]b")).toEqual(["ab"])
  expect(names.filter((name) => nameMatcher("*a", true).test(name))).toEqual(["a", ".a"])
})
