import { type Failure, failure } from "../failure.ts"

/**
 * Refuses a change of state whose body is no JSON: a page of another origin can send a form or a text without asking
 * first, but no JSON. A request without a body needs no type.
 */
export function checkContentType(request: Request): Failure | undefined {
  const type = request.headers.get("content-type")
  if (type === null && !hasBody(request)) return undefined
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type?.trim() ?? "")) return undefined
  return failure("UnsupportedMediaTypeError", "Send the body as application/json.", { kind: "Headers" })
}

/** Whether anything comes behind the headers. */
function hasBody(request: Request): boolean {
  const length = request.headers.get("content-length")
  return request.headers.has("transfer-encoding") || (length !== null && length !== "0")
}
