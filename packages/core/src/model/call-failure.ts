/** Why we gave a call up. `code` is what the classifier reads. */
export class CallFailure extends Error {
  override readonly name = "CallFailure"
  constructor(
    readonly code:
      | "timeout_first_byte"
      | "timeout_silence"
      | "timeout_total"
      | "stream_cut"
      | "web_page"
      | "empty_answer"
      | "no_events"
      | "error_answer",
    message: string,
    /** What came instead of an answer. */
    readonly responseBody?: string,
  ) {
    super(message)
  }
}
