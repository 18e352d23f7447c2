import type { SetupError } from "@cairn/schema/error"
import type { Lease } from "../store/lease.ts"

/** This process runs the session. */
export function busyHere(sessionID: string): SetupError {
  return { kind: "busy", message: `Session ${sessionID} is running. Wait for it to end, or stop it.` }
}

/** Another process, which holds the lease, runs the session. */
export function busy(sessionID: string, lease: Lease): SetupError {
  const since = new Date(lease.since).toISOString()
  return {
    kind: "busy",
    message: `Session ${sessionID} is running in another process (pid ${lease.pid}, since ${since}). Wait for it to end, stop it, or start a new session.`,
  }
}
