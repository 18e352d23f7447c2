import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Embedded, unpack } from "./embedded.ts"

const content = "#!/bin/sh\necho unpacked\n"
let root = ""
let file: Embedded
let place = ""

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-embedded-")))
  place = join(root, "cache", "bin")
  file = embed("tool", content)
  await writeFile(file.path, content)
})

afterEach(async () => {
  await chmod(root, 0o700)
  await rm(root, { recursive: true, force: true })
})

function embed(name: string, text: string): Embedded {
  const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex")
  return { path: join(root, `inside-${name}`), name, size: text.length, sha256 }
}

function unpackedTo(...directories: string[]): string {
  const found = unpack(file, directories)
  if (!found.ok) throw new Error(found.error.reasons.join("\n"))
  return found.value
}

const mode = async (path: string) => (await stat(path)).mode & 0o777
const posix = process.platform !== "win32"
const superuser = process.getuid?.() === 0
if (superuser)
  process.stdout.write("skipped: unpacking where nothing may be written, because root may write anywhere\n")

test("the copy runs, is named after its content, and is this user's alone", async () => {
  const path = unpackedTo(place)
  expect(path).toBe(join(place, `tool-${file.sha256.slice(0, 16)}`))
  expect(await readFile(path, "utf8")).toBe(content)
  if (!posix) return
  expect([await mode(path), await mode(place)]).toEqual([0o700, 0o700])
  expect(Bun.spawnSync([path]).stdout.toString()).toBe("unpacked\n")
})

test("an extension stays at the end", () => {
  file = { ...file, name: "rg.exe" }
  expect(unpackedTo(place)).toBe(join(place, `rg-${file.sha256.slice(0, 16)}.exe`))
})

test("a whole copy is taken as it is, and needs the original no more", async () => {
  const path = unpackedTo(place)
  const before = await stat(path)
  await rm(file.path)
  expect(unpackedTo(place)).toBe(path)
  expect((await stat(path)).ino).toBe(before.ino)
})

test("another content gets another name", async () => {
  const first = unpackedTo(place)
  file = embed("tool", "#!/bin/sh\necho newer\n")
  await writeFile(file.path, "#!/bin/sh\necho newer\n")
  expect(unpackedTo(place)).not.toBe(first)
  expect(await readFile(first, "utf8")).toBe(content)
})

describe("what stands in its place is replaced", () => {
  const cases: [string, (path: string) => Promise<unknown>][] = [
    ["a copy that was cut short", (path) => writeFile(path, content.slice(0, 5))],
    ["an empty file", (path) => writeFile(path, "")],
    ["another content of the same length", (path) => writeFile(path, content.replace("unpacked", "tampered"))],
    ...(posix
      ? ([
          ["a file that others may write", (path) => chmod(path, 0o777)],
          ["a file that cannot be run", (path) => chmod(path, 0o600)],
        ] as [string, (path: string) => Promise<unknown>][])
      : []),
  ]
  test.each(cases)("%s", async (_, spoil) => {
    const path = unpackedTo(place)
    await spoil(path)
    expect(unpackedTo(place)).toBe(path)
    expect(await readFile(path, "utf8")).toBe(content)
    if (posix) expect(await mode(path)).toBe(0o700)
    expect(await readdir(place)).toHaveLength(1)
  })

  test.skipIf(!posix)("a link to somebody's program, which stays as it is", async () => {
    const path = unpackedTo(place)
    const other = join(root, "other")
    await writeFile(other, content)
    await rm(path)
    await symlink(other, path)
    expect(unpackedTo(place)).toBe(path)
    await writeFile(other, "changed")
    expect(await readFile(path, "utf8")).toBe(content)
  })
})

describe("a directory that is no place for it is passed over", () => {
  const fallback = () => join(root, "temporary", "bin")

  test("a file stands there", async () => {
    await writeFile(join(root, "cache"), "")
    expect(unpackedTo(place, fallback())).toStartWith(fallback())
  })

  test("a directory has the name of the copy", async () => {
    await mkdir(unpackedTo(fallback()).replace(fallback(), place), { recursive: true })
    expect(unpackedTo(place, fallback())).toStartWith(fallback())
    expect(await readdir(place)).toHaveLength(1)
  })

  test.skipIf(!posix)("it is a link, perhaps to what others may write", async () => {
    await mkdir(join(root, "elsewhere"))
    await mkdir(join(root, "cache"))
    await symlink(join(root, "elsewhere"), place)
    expect(unpackedTo(place, fallback())).toStartWith(fallback())
    expect(await readdir(join(root, "elsewhere"))).toEqual([])
  })

  test.skipIf(!superuser)("it belongs to another user", async () => {
    await mkdir(place, { recursive: true })
    expect(Bun.spawnSync(["chown", "1234", place]).exitCode).toBe(0)
    expect(unpackedTo(place, fallback())).toStartWith(fallback())
    expect(await readdir(place)).toEqual([])
  })

  test.skipIf(!posix || superuser)("nothing may be written there", async () => {
    await mkdir(join(root, "cache"), { mode: 0o500 })
    expect(unpackedTo(place, fallback())).toStartWith(fallback())
  })
})

test.skipIf(!posix)("its own directory is closed to others first", async () => {
  await mkdir(place, { recursive: true })
  await chmod(place, 0o777)
  unpackedTo(place)
  expect(await mode(place)).toBe(0o700)
})

test("with no place left, each is named with its reason", async () => {
  await writeFile(join(root, "cache"), "")
  const found = unpack(file, [place, join(root, "cache", "other")])
  expect(found).toMatchObject({ ok: false, error: { reasons: [expect.stringContaining(place), expect.anything()] } })
})

test("an executable that is damaged itself unpacks nothing", async () => {
  await writeFile(file.path, content.replace("unpacked", "tampered"))
  const found = unpack(file, [place])
  expect(found).toMatchObject({ ok: false, error: { reasons: [expect.stringContaining("damaged")] } })
  expect(await readdir(place)).toEqual([])
})

test("many processes at once: all of them run a whole copy, and one is left", async () => {
  const size = 3_000_000
  const text = `#!/bin/sh\necho unpacked\nexit 0\n${"#".repeat(size)}`
  file = embed("tool", text)
  await writeFile(file.path, text)
  const script = `
    const { unpack } = await import(${JSON.stringify(join(import.meta.dir, "embedded.ts"))})
    const found = unpack(${JSON.stringify(file)}, [${JSON.stringify(place)}])
    if (!found.ok) throw new Error(found.error.reasons.join())
    process.stdout.write(Bun.spawnSync([found.value]).stdout)
  `
  const children = Array.from({ length: 8 }, () =>
    Bun.spawn([process.execPath, "-e", script], { stdin: "ignore", stdout: "pipe", stderr: "pipe" }),
  )
  const ends = await Promise.all(children.map(async (child) => [await child.stdout.text(), await child.stderr.text()]))
  expect(ends).toEqual(children.map(() => ["unpacked\n", ""]))
  expect(await readdir(place)).toHaveLength(1)
})
