import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BoundsInput, boundsOf, contains, makeCaches, type SandboxBounds } from "./bounds.ts"
import { bubblewrapArguments } from "./bubblewrap.ts"
import { agentVariables, cacheRows, credentialRows, sandboxPlaces, socketRows } from "./places.ts"
import { seatbeltProfile } from "./seatbelt.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "cairn-bounds-")))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const home = join(root, "home")
const worktree = join(home, "project")
for (const path of [worktree, ".ssh", ".npm", ".config/gh", ".cargo/registry", "real-keys"])
  mkdirSync(join(home, path.startsWith("/") ? path.slice(home.length) : path), { recursive: true })
writeFileSync(join(home, ".npmrc"), "")
symlinkSync(join(home, "real-keys"), join(home, ".aws"))

const input: BoundsInput = {
  ...{ places: sandboxPlaces({}, home), env: {}, worktree, readOnly: false, also: [], temp: [], protected: [] },
  ...{ own: [], shown: [], network: true, programs: new Set(), runs: new Set() },
}
const access = (path: string, more: Partial<BoundsInput> = {}) =>
  boundsOf({ ...input, ...more }).layers.findLast((layer) => contains(layer.path, path))?.access ?? "as it is"

describe("the bounds", () => {
  test("the project and what exists of the caches is writable, keys are hidden, by their real paths", () => {
    expect(access(join(worktree, "x"))).toBe("writable")
    expect(access(join(home, ".npm/x"))).toBe("writable")
    expect(access(join(home, "x"))).toBe("as it is")
    expect(access(join(home, ".ssh/id"))).toBe("hidden")
    expect(access(join(home, "real-keys/credentials"))).toBe("hidden")
    expect(boundsOf(input).layers.some(({ path }) => path.endsWith(".gnupg"))).toBe(false)
  })

  test("a row gives its place to the program that owns it, by subcommand where that matters", () => {
    const given = (name: string, ...programs: string[]) => access(join(home, name), { programs: new Set(programs) })
    expect([given(".ssh", "git", "git push"), given(".ssh", "git", "git commit"), given(".ssh", "npm")]).toEqual([
      ...["as it is", "hidden", "hidden"],
    ])
    expect([given(".config/gh", "gh"), given(".config/gh", "git", "git status")]).toEqual(["as it is", "hidden"])
  })

  test("names of keys are there for git, which signs by them", () => {
    writeFileSync(join(home, ".ssh/id.pub"), "")
    writeFileSync(join(home, ".ssh/id"), "")
    const given = (name: string, ...programs: string[]) =>
      access(join(home, ".ssh", name), { programs: new Set(programs) })
    expect([given("id.pub", "git commit"), given("id", "git commit"), given("id.pub", "npm test")]).toEqual([
      ...["read-only", "hidden", "hidden"],
    ])
  })

  test("settings of a registry are hidden for the key in them, and from who installs when there is nothing else", () => {
    const given = (text: string, ...programs: string[]) => {
      writeFileSync(join(home, ".npmrc"), text)
      return access(join(home, ".npmrc"), { programs: new Set(programs) })
    }
    const key = `//${["registry", "npmjs", "org"].join(".")}/:_authToken=x\n`
    const own = `@own:registry=https://npm.example/\n//npm.example/:_authToken=x\n${key}`
    expect([given(key, "npm test"), given(key, "npm install"), given(key, "npm publish")]).toEqual([
      ...["hidden", "hidden", "as it is"],
    ])
    expect([given(own, "npm test"), given(own, "npm install"), given(`ignore-scripts=true\n${key}`, "npm ci")]).toEqual(
      [...["hidden", "as it is", "as it is"]],
    )
    expect([given("", "npm test"), given("ignore-scripts=true\n", "npm test")]).toEqual(["as it is", "as it is"])
  })

  test("caches that are not there are made for the program that fills them, and for no other", () => {
    const places = sandboxPlaces({}, home)
    makeCaches({ places, runs: new Set(["npm"]), readOnly: true })
    makeCaches({ places, runs: new Set(["go", "gradle"]), readOnly: false })
    expect(
      ["go/pkg", ".gradle/caches", ".m2/repository", ".pnpm-store"].map((name) => existsSync(join(home, name))),
    ).toEqual([true, true, true, false])
    expect(access(join(home, "go/bin"))).toBe("as it is")
    expect(access(join(home, "go/pkg/x"))).toBe("writable")
    expect(access(join(home, ".gradle/init.d"))).toBe("as it is")
  })

  test("what shells and editors outside start out of a cache cannot be written", () => {
    for (const name of ["p10k-instant-prompt-me.zsh", "zsh/x", "pip/x"]) {
      mkdirSync(join(home, ".cache", name, ".."), { recursive: true })
      writeFileSync(join(home, ".cache", name), "")
    }
    const cache = (name: string) => access(join(home, ".cache", name))
    expect([cache("p10k-instant-prompt-me.zsh"), cache("zsh/x"), cache("pip/x")]).toEqual([
      ...["read-only", "read-only", "writable"],
    ])
  })

  test("a link opens nothing where a command may have put it, and makes nothing of the disk a cache", () => {
    const cache = join(home, ".cache")
    mkdirSync(cache, { recursive: true })
    symlinkSync(join(home, "real-keys"), join(cache, "uv"))
    symlinkSync(root, join(home, ".pnpm-store"))
    const linked = join(root, "linked-temp")
    symlinkSync(join(home, "real-keys"), linked)
    const given = { places: { home, cache }, temp: [linked] }
    expect(access(join(home, "real-keys/x"), { ...given, programs: new Set(["aws"]) })).toBe("as it is")
    expect(access(join(root, "x"), given)).toBe("as it is")
    rmSync(join(home, ".pnpm-store"))
    symlinkSync(join(root, "store"), join(home, ".pnpm-store"))
    mkdirSync(join(root, "store"))
    expect(access(join(root, "store/x"), given)).toBe("writable")
    // The same place in a project that is the home is what a command made of it.
    expect(access(join(root, "store/x"), { ...given, worktree: home })).toBe("as it is")
    for (const path of [join(cache, "uv"), join(home, ".pnpm-store"), linked]) rmSync(path)
  })

  test("who may only look writes no part of the project by another name", () => {
    mkdirSync(join(home, ".cache/uv"), { recursive: true })
    const at = (path: string, more: Partial<BoundsInput> = {}) => access(join(home, path), { readOnly: true, ...more })
    expect([at(".cache/x"), at(".cache/uv/x")]).toEqual(["writable", "read-only"])
    const temp = [join(home, "project")]
    expect([at(".cache/x", { worktree: home, temp }), at("project/x", { worktree: home, temp })]).toEqual([
      ...["as it is", "as it is"],
    ])
  })

  test("the agents' variables go, and the socket that they name is hidden", () => {
    const socket = join(root, "agent.1")
    writeFileSync(socket, "")
    const env = { SSH_AUTH_SOCK: socket, TMUX: `${socket},1,0` }
    expect(boundsOf({ ...input, env }).unset.toSorted()).toEqual(["SSH_AUTH_SOCK", "TMUX"])
    expect(access(socket, { env })).toBe("hidden")
    expect(boundsOf({ ...input, env, programs: new Set(["git push"]) }).unset).toEqual(["TMUX"])
    expect(access(socket, { env: { DOCKER_HOST: `unix://${socket}` } })).toBe("hidden")
  })

  test("temporary files are writable but for the sockets of terminals and agents", () => {
    const temp = join(root, "temp")
    mkdirSync(join(temp, "tmux-1000"), { recursive: true })
    mkdirSync(join(temp, "build"))
    expect(access(join(temp, "tmux-1000/default"), { temp: [temp] })).toBe("hidden")
    expect(access(join(temp, "build/x"), { temp: [temp] })).toBe("writable")
  })

  test("what is protected, own and shown; a deeper place is as its own row says", () => {
    const own = join(home, "own")
    mkdirSync(join(own, "spill"), { recursive: true })
    mkdirSync(join(worktree, ".cairn/plans"), { recursive: true })
    const more = { own: [own], shown: [join(own, "spill")], protected: [join(worktree, ".cairn")] }
    expect(access(join(own, "db"), more)).toBe("hidden")
    expect(access(join(own, "spill/x"), more)).toBe("read-only")
    expect(access(join(worktree, ".cairn/x"), more)).toBe("read-only")
    const looking = { ...more, readOnly: true, always: [join(worktree, ".cairn/plans")], temp: [root] }
    expect(access(join(worktree, "x"), looking)).toBe("read-only")
    expect(access(join(worktree, ".cairn/x"), looking)).toBe("read-only")
    expect(access(join(worktree, ".cairn/plans/x.md"), looking)).toBe("writable")
    expect(access(join(root, "x"), looking)).toBe("writable")
  })

  test("what changes nothing is no layer, but the project itself, which would else be moved away", () => {
    const runtime = join(root, "run")
    mkdirSync(join(runtime, "gnupg"), { recursive: true })
    const { layers } = boundsOf({ ...input, places: { runtime }, temp: [home, join(home, ".npm")], shown: [runtime] })
    expect(layers.map(({ path, access: given }) => `${path.slice(root.length)} ${given}`)).toEqual([
      ...["/home writable", "/home/project writable", "/run/gnupg hidden"],
    ])
    expect(boundsOf({ ...input, places: {}, readOnly: true }).layers).toEqual([])
  })

  test("the project is never hidden, wherever it lies", () => {
    const inside = join(home, ".ssh/project")
    mkdirSync(inside, { recursive: true })
    expect(access(join(inside, "x"), { worktree: inside })).toBe("writable")
    expect(access(join(home, ".ssh/id"), { worktree: join(home, ".ssh") })).toBe("writable")
    rmSync(inside, { recursive: true })
  })
})

describe("the tables", () => {
  test("name relative places without a way up, each once, and owners that are names", () => {
    const rows = [...cacheRows, ...credentialRows, ...socketRows]
    for (const { path } of rows) expect(path).not.toMatch(/^\/|(^|\/)\.\.(\/|$)|\/$/)
    expect(new Set(rows.map(({ scope, path }) => `${scope}:${path}`)).size).toBe(rows.length)
    for (const { owners } of [...credentialRows, ...socketRows])
      for (const owner of owners) expect(owner).toMatch(/^[a-z][a-z0-9_-]*(?: [a-z][a-z.-]*)?$/)
    expect(Object.keys(agentVariables)).toContain("SSH_AUTH_SOCK")
  })

  test("no key lies where everybody may write, unless its own row hides it", () => {
    for (const row of credentialRows)
      expect(cacheRows.some(({ scope, path }) => scope === row.scope && contains(row.path, path))).toBe(false)
  })

  test("places follow the XDG variables, absolute ones only", () => {
    expect(sandboxPlaces({ XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "d", XDG_RUNTIME_DIR: "/r" }, "/h")).toEqual({
      ...{
        home: "/h",
        root: "/",
        state: "/h/.local/state",
        config: "/c",
        data: "/h/.local/share",
        cache: "/h/.cache",
        runtime: "/r",
      },
    })
  })
})

const small: SandboxBounds = {
  layers: [
    { path: "/w", access: "writable", kind: "directory" },
    { path: "/h/.npmrc", access: "hidden", kind: "file" },
    { path: "/h/own", access: "hidden", kind: "directory" },
    { path: '/w/.git/"hooks"', access: "read-only", kind: "directory" },
    { path: "/h/own/spill", access: "read-only", kind: "directory" },
  ],
  network: false,
  unset: [],
}

describe("the profiles", () => {
  test("bubblewrap: places in hidden ones are laid before those are closed", () => {
    const text = bubblewrapArguments(small, "/w", false).join(" ")
    expect(text).toMatchInlineSnapshot(
      `"--ro-bind / / --dev /dev --proc /proc --dev-bind-try /dev/dri /dev/dri --dev-bind-try /dev/kvm /dev/kvm --dev-bind-try /dev/nvidia0 /dev/nvidia0 --dev-bind-try /dev/nvidiactl /dev/nvidiactl --dev-bind-try /dev/nvidia-uvm /dev/nvidia-uvm --bind-try /w /w --ro-bind /dev/null /h/.npmrc --tmpfs /h/own --ro-bind-try /w/.git/"hooks" /w/.git/"hooks" --ro-bind-try /h/own/spill /h/own/spill --remount-ro /h/own --unshare-pid --unshare-ipc --unshare-net --chdir /w --"`,
    )
    const root = bubblewrapArguments({ ...small, network: true }, "/w", true)
    expect(root).toContain("--cap-drop")
    expect(root.join(" ")).not.toMatch(/SYS_ADMIN|SYS_PTRACE|MKNOD|--unshare-net|--die-with-parent/)
  })

  test("Seatbelt", () => {
    expect(seatbeltProfile(small)).toMatchInlineSnapshot(`
      "(version 1)
      (allow default)
      (deny file-write*)
      (allow file-write* (literal "/dev/null"))
      (allow file-write* (literal "/dev/zero"))
      (allow file-write* (literal "/dev/tty"))
      (allow file-write* (literal "/dev/stdout"))
      (allow file-write* (literal "/dev/stderr"))
      (allow file-write* (literal "/dev/ptmx"))
      (allow file-write* (regex #"^/dev/(ttys|fd/)[0-9]+$"))
      (allow file-read* (subpath "/w"))
      (allow file-write* (subpath "/w"))
      (deny file-read* file-write* (subpath "/h/.npmrc"))
      (deny file-read* file-write* (subpath "/h/own"))
      (allow file-read* (subpath "/w/.git/\\"hooks\\""))
      (deny file-write* (subpath "/w/.git/\\"hooks\\""))
      (allow file-read* (subpath "/h/own/spill"))
      (deny file-write* (subpath "/h/own/spill"))
      (deny network*)
      (allow network* (local unix-socket))
      (allow network* (remote unix-socket))
      (deny network* (subpath "/h/.npmrc"))
      (deny network* (subpath "/h/own"))
      (deny appleevent-send)
      (deny process-info* (target others))
      "
    `)
    expect(seatbeltProfile({ ...small, network: true })).not.toContain("(deny network*)\n")
  })
})
