/** The reason of every cancellation that somebody asked for: not a failure, nothing to report. */
export class Interrupted extends Error {
  override readonly name = "Interrupted"
  constructor(message = "interrupted") {
    super(message)
  }
}
