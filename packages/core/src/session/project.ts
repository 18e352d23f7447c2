import type { Clock } from "@cairn/kernel/clock"
import type { Project } from "@cairn/schema/project"
import type { Git } from "../process/git.ts"
import type { Store } from "../store/store.ts"
import { type Location, computeProjectID, isRootCommit, provisionalID } from "../workspace/project.ts"

/** The project of this directory, as far as it is known. */
export interface CurrentProject {
  /** What new sessions belong to. */
  id(): string
  /** The id and those it had before. */
  ids(): string[]
  /** Asks git when the project is new, or had no root commit so far, and records what it says. Once per process, and again after a failure. */
  identify(signal: AbortSignal): Promise<void>
}

/** What a person said of the project stays when git is asked again. */
function chosen(project: Project | undefined): Pick<Project, "name" | "icon" | "commands"> {
  const { name, icon, commands } = project ?? {}
  return { ...(name !== undefined && { name }), ...(icon && { icon }), ...(commands && { commands }) }
}

export function createCurrentProject(deps: {
  store: Store
  clock: Clock
  git: Git
  location: Location
}): CurrentProject {
  const { store, clock, git, location } = deps
  const provisional = provisionalID(location)
  let known = location.commonDir === undefined ? undefined : store.read.projectByCommonDir(location.commonDir)
  let identified: Promise<void> | undefined
  const id = () => known?.id ?? provisional

  const record = (found: string): void => {
    const former = store.read.project(found)
    const aliases = new Set([...(former?.aliases ?? []), ...(known?.aliases ?? []), id(), provisional])
    aliases.delete(found)
    const now = clock.now()
    const project: Project = {
      id: found,
      worktree: location.worktree,
      ...(location.commonDir !== undefined && { vcs: "git" as const, commonDir: location.commonDir }),
      ...(aliases.size > 0 && { aliases: [...aliases] }),
      ...chosen(former ?? known),
      time: { created: former?.time.created ?? now, updated: now },
    }
    store.append(found, [{ type: "project.updated", properties: project }])
    known = project
  }
  return {
    id,
    ids: () => [id(), ...(known?.aliases ?? [])],
    identify(signal) {
      if (location.commonDir === undefined || (known && isRootCommit(known.id))) return Promise.resolve()
      identified ??= computeProjectID(location, git, signal)
        .then((project) => {
          if (known?.id !== project.id) record(project.id)
        })
        .catch((error: unknown) => {
          identified = undefined
          throw error
        })
      return identified
    },
  }
}
