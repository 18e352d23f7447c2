// Packages that are made for one platform, as the build takes them for another: from the registry, with the lockfile's hash.
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import path from "node:path"

const root = path.join(import.meta.dir, "../..")

/** A platform by Node's names. */
export interface Platform {
  readonly os: "linux" | "darwin" | "win32"
  readonly cpu: "x64" | "arm64"
}

/** Installs one package of bun.lock, with the version and the hash that stand there, into a directory of its own below `dist/`. */
export async function fetchPackage(name: string, { os, cpu }: Platform): Promise<string> {
  const { version, manifest, lockfile } = await pinned(name)
  const cache = path.join(root, "dist/.package")
  const place = path.join(cache, `${name.replace("/", "+")}@${version}`)
  const inside = path.join("node_modules", name)
  if (existsSync(place)) return path.join(place, inside)
  await mkdir(cache, { recursive: true })
  const partial = await mkdtemp(`${place}.`)
  try {
    await Bun.write(path.join(partial, "package.json"), JSON.stringify(manifest))
    await Bun.write(path.join(partial, "bun.lock"), JSON.stringify(lockfile))
    const flags = ["--frozen-lockfile", "--ignore-scripts", "--os", os, "--cpu", cpu]
    const child = Bun.spawn([process.execPath, "install", ...flags], {
      cwd: partial,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0 || !existsSync(path.join(partial, inside))) {
      throw new Error(`${name}@${version} could not be fetched.\n${`${out}${err}`.trim()}`)
    }
    await rename(partial, place).catch((error: unknown) => {
      // Another build was faster.
      if (!existsSync(place)) throw error
    })
    return path.join(place, inside)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Whether bun.lock knows a package of this name. */
export async function isLocked(name: string): Promise<boolean> {
  return (await lockfileOf()).packages[name] !== undefined
}

async function lockfileOf() {
  return Bun.JSONC.parse(await Bun.file(path.join(root, "bun.lock")).text()) as {
    readonly lockfileVersion: number
    readonly packages: Readonly<Record<string, readonly [string, ...unknown[]]>>
  }
}

/** A manifest and a lockfile of this package alone, as the workspace's lockfile has it. */
async function pinned(name: string) {
  const lock = await lockfileOf()
  const entry = lock.packages[name]
  if (entry === undefined) throw new Error(`bun.lock knows no ${name}: there is none for that platform.`)
  const version = entry[0].slice(name.length + 1)
  const manifest = { name: "fetched", private: true, dependencies: { [name]: version } }
  const workspaces = { "": { name: manifest.name, dependencies: manifest.dependencies } }
  const lockfile = { lockfileVersion: lock.lockfileVersion, configVersion: 1, workspaces, packages: { [name]: entry } }
  return { version, manifest, lockfile }
}
