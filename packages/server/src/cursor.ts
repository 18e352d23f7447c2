import { err, ok, type Result } from "@cairn/kernel/result"
import { type Failure, failure } from "./failure.ts"

/** A place in a list as a text that clients only hand back. */
export const writeCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url")

/** What `writeCursor` wrote, if it fits; anything else is a bad request. */
export function readCursor(text: string): Result<{ readonly updated: number; readonly id: string }, Failure> {
  try {
    const [updated, id] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as unknown[]
    if (typeof updated === "number" && typeof id === "string") return ok({ updated, id })
  } catch {
    // Told below, as what else does not fit.
  }
  return err(failure("BadRequest", "The cursor is not one that this list gave.", { kind: "Query" }))
}
