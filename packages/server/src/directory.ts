import { isAbsolute } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import { type Failure, failure } from "./failure.ts"

const headers = ["x-cairn-directory", "x-opencode-directory"]

/** The directory that a request names, in its query or in a header (URI-encoded). Undefined when it names none. */
export function directoryOf(request: Request): Result<string | undefined, Failure> {
  const query = new URL(request.url).searchParams
  const named = query.get("directory") || query.get("location[directory]") || fromHeader(request)
  if (named === undefined) return ok(undefined)
  if (typeof named !== "string" || !isAbsolute(named) || named.includes("\0"))
    return err(failure("BadRequest", "The directory has to be an absolute path.", { kind: "Query" }))
  return ok(named)
}

/** `false` for a header that is not encoded as it should be. */
function fromHeader(request: Request): string | false | undefined {
  const given = headers.map((name) => request.headers.get(name)).find((value) => value !== null && value !== "")
  if (given == null) return undefined
  try {
    return decodeURIComponent(given)
  } catch {
    return false
  }
}
