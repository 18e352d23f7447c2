import { accessSync, constants, type Stats, statfsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Paths } from "../config/paths.ts"
import type { Check } from "./check.ts"

const scarce = 200 * 1024 * 1024

/** The directories Cairn keeps its things in: there, ours alone, writable, with room. Creates nothing. */
export function directoryChecks({ configDir, dataDir, stateDir, cacheDir }: Paths): Check[] {
  return [
    directoryCheck("config", configDir, { own: false, needed: false }),
    directoryCheck("data", dataDir, { own: true, needed: true }),
    directoryCheck("state", stateDir, { own: true, needed: false }),
    directoryCheck("cache", cacheDir, { own: false, needed: false }),
    ...secretFiles([join(dataDir, "auth.json"), join(stateDir, "token")]),
  ]
}

interface Wanted {
  /** What lies in it is for the current user alone. */
  readonly own: boolean
  /** Without it nothing works. */
  readonly needed: boolean
}

function directoryCheck(name: string, path: string, { own, needed }: Wanted): Check {
  const base = { area: "directories", name } as const
  const found = look(path)
  if (found && !found.isDirectory())
    return { ...base, state: "broken", text: `${path} is not a directory`, advice: "Move it away." }
  const nearest = found ? path : existing(path)
  if (!writable(nearest))
    return {
      ...base,
      state: needed ? "broken" : "warning",
      text: found ? `${path} cannot be written` : `${path} cannot be created: ${nearest} cannot be written`,
      advice: `Give it to the current user, or set XDG_${name.toUpperCase()}_HOME to a directory that can be written.`,
    }
  const free = freeBytes(nearest)
  const room = free === undefined ? "" : `, ${size(free)} free`
  if (free !== undefined && free < scarce && (own || needed))
    return {
      ...base,
      state: "warning",
      text: `${path}${room}`,
      advice: "Free some space: nothing can be stored on a full disk.",
    }
  if (!found) return { ...base, state: "ok", text: `${path} (not there yet${room})` }
  const mode = found.mode & 0o777
  const text = `${path} (mode ${mode.toString(8)}${room})`
  if (own && (mode & 0o077) !== 0)
    return { ...base, state: "warning", text, advice: `Others can look into it: chmod 700 ${path}` }
  return { ...base, state: "ok", text }
}

function secretFiles(paths: readonly string[]): Check[] {
  return paths.flatMap((path): Check[] => {
    const found = look(path)
    if (!found || (found.mode & 0o077) === 0) return []
    const text = `${path} (mode ${(found.mode & 0o777).toString(8)})`
    return [
      { area: "directories", name: "secret", state: "warning", text, advice: `Others can read it: chmod 600 ${path}` },
    ]
  })
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // a parent that may not be entered, or is a file
  }
}

function existing(path: string): string {
  let at = path
  while (look(at) === undefined && dirname(at) !== at) at = dirname(at)
  return at
}

function writable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** `12.3 MB` */
export function size(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"]
  let value = bytes
  let unit = 0
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
