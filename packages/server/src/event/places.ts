import type { Session } from "@cairn/schema/session"
import type { Happening } from "@cairn/schema/wire-event"
import type { Place } from "./told.ts"

/** How many sessions are remembered. */
const mostKnown = 10_000

/** Where sessions are, learned from what is told of them, and looked up once where that says nothing. */
export interface Places {
  /** Undefined: what happens is about no session, or about one that is not there any more. */
  of(event: Happening): Place | undefined
}

export function createPlaces(lookUp: (sessionID: string) => Session | undefined): Places {
  const known = new Map<string, Place>()
  const learn = ({ id, directory, projectID }: Session): Place => {
    if (known.size >= mostKnown) known.clear()
    const place = { directory, project: projectID }
    known.set(id, place)
    return place
  }
  const ofSession = (sessionID: string): Place | undefined => {
    const place = known.get(sessionID)
    if (place) return place
    const session = lookUp(sessionID)
    return session && learn(session)
  }
  return {
    of(event) {
      switch (event.type) {
        case "session.created":
        case "session.updated":
        case "session.deleted":
          return learn(event.properties.info)
        case "project.updated":
          return { directory: event.properties.worktree, project: event.properties.id }
        default:
      }
      const { properties } = event
      const sessionID = "sessionID" in properties ? properties.sessionID : undefined
      return sessionID === undefined ? undefined : ofSession(sessionID)
    },
  }
}
