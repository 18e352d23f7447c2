/** `broken`: a run cannot work, or not right. `warning`: it works, and somebody should look. `note`: worth knowing. */
export type CheckState = "ok" | "note" | "warning" | "broken"

/** One thing that was looked at. `text` and `advice` are for people and hold no secret. */
export interface Check {
  readonly area: "runtime" | "programs" | "directories" | "database" | "config" | "permission" | "models" | "network"
  readonly name: string
  readonly state: CheckState
  readonly text: string
  /** What to do. */
  readonly advice?: string
}

export interface DoctorReport {
  /** Nothing is broken. */
  readonly ok: boolean
  readonly checks: readonly Check[]
}
