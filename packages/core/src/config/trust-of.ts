import { realpath } from "node:fs/promises"
import { type Result, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Trust } from "@cairn/schema/trust"
import { discoverConfig, type Places } from "./discover.ts"
import { rememberTrust, trustedItems } from "./trust-file.ts"
import { trustChanges, trustSurface } from "./trust.ts"

/** How far the directory is trusted, and by what it would have an effect. Reads; runs and writes nothing. */
export async function trustOf(places: Places, config?: { readonly trustedBy: Trust["by"] }): Promise<Trust> {
  const directory = await realpath(places.worktree)
  const known = await trustedItems(places.paths.stateDir, directory)
  const sources = discoverConfig(places).filter(({ layer }) => layer === "project")
  const surface = await trustSurface({ ...places, sources, jsonc: await import("jsonc-parser") })
  const changes = trustChanges(known ?? [], surface)
  const remembered = known && changes.length === 0 ? "remembered" : undefined
  const by = config?.trustedBy ?? remembered
  return {
    ...{ directory, trusted: by !== undefined, surface, changes, changed: known !== undefined && changes.length > 0 },
    ...(by && { by }),
  }
}

/** Trusts the directory with the surface that was `seen`, which is what the user said yes to; or forgets it. */
export async function saveTrust(
  places: Places,
  seen: Pick<Trust, "surface"> | undefined,
  now: number,
): Promise<Result<void, SetupError>> {
  const directory = await realpath(places.worktree)
  const known = (await trustedItems(places.paths.stateDir, directory)) ?? []
  if (!seen) return await rememberTrust(places.paths.stateDir, directory, undefined)
  // What other directories of the worktree hold was seen before, and stays trusted.
  const ids = new Set(seen.surface.map(({ id }) => id))
  const items = [...known.filter(({ id }) => !ids.has(id)), ...seen.surface]
  const done = await rememberTrust(places.paths.stateDir, directory, { time: now, items })
  return done.ok ? ok(undefined) : done
}
