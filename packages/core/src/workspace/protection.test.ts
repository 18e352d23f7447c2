import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { resolvePath } from "./paths.ts"
import { protectedPaths } from "./protected-paths.ts"
import { isProtected, protectionOf, userPlaces } from "./protection.ts"
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
