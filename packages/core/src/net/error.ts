/** Why a request never got, or lost, its answer. `code` is stable and what the classifier reads. */
export type NetFailure =
  | "foreign_origin"
  | "redirect"
  | "too_many_redirects"
  | "too_large"
  | "probe_refused"
  | "probe_silent"
  | "probe_unknown_host"

/** Thrown by `Net.fetch` and by bodies it returned, because `fetch` has no other way to fail. */
export class NetError extends Error {
  override readonly name = "NetError"
  constructor(
    readonly code: NetFailure,
    message: string,
  ) {
    super(message)
  }
}
