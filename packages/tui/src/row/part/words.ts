import path from "node:path"
import { type Safe, sanitizeLine, ui } from "../../terminal/sanitize.ts"
import type { PartContext } from "./context.ts"

/** `0:04`, `12:30`, `1:02:03`. A clock that was set back counts as none. */
export function duration(milliseconds: number): Safe {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const padded = (value: number) => String(value).padStart(2, "0") as Safe
  return hours > 0 ? ui`${hours}:${padded(minutes)}:${padded(rest)}` : ui`${minutes}:${padded(rest)}`
}

/** `3 s`, `2 min`, `1 h 4 min`. */
export function span(milliseconds: number): Safe {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 90) return ui`${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? ui`${minutes} min` : ui`${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1 file`, `3 files`, `2 matches`. The words are ours. */
export function plural(count: number, one: Safe, many: Safe = ui`${one}s`): Safe {
  return ui`${count} ${count === 1 ? one : many}`
}

/** A path as it is read: relative below the directory, with `~` below the home directory. */
export function shownPath(file: string, { directory, home }: Pick<PartContext, "directory" | "home">): Safe {
  if (!path.isAbsolute(file)) return sanitizeLine(file)
  const below = (base: string) => {
    const relative = path.relative(base, file)
    return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? undefined : relative
  }
  const here = below(directory)
  if (here !== undefined) return sanitizeLine(here === "" ? "." : here)
  const own = home === undefined ? undefined : below(home)
  return sanitizeLine(own === undefined ? file : path.join("~", own))
}
