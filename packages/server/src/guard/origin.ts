import { type Failure, failure } from "../failure.ts"

/** The origin of the page that sent the request, if it may: one of the list, or the server's own. */
export function allowedOrigin(request: Request, listed: readonly string[]): string | undefined {
  const origin = request.headers.get("origin")
  if (origin === null) return undefined
  const own = request.headers.get("host")?.toLowerCase()
  return listed.includes(origin) || origin.toLowerCase() === `http://${own}` ? origin : undefined
}

/** Refuses what a page of another origin sent, also where the browser only says that it came from elsewhere. */
export function checkOrigin(request: Request, listed: readonly string[]): Failure | undefined {
  const origin = request.headers.get("origin")
  if (origin !== null)
    return allowedOrigin(request, listed) === undefined
      ? failure("ForbiddenError", "Pages of this origin may not use the server; --cors names those that may.")
      : undefined
  const foreign = request.headers.get("sec-fetch-site") === "cross-site"
  return foreign && request.headers.get("sec-fetch-mode") !== "navigate"
    ? failure("ForbiddenError", "Pages of another origin may not use the server; --cors names those that may.")
    : undefined
}

/** What a browser has to be told before it lets a page of another origin read the answer. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return { vary: "Origin" }
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Link, X-Next-Cursor",
  }
}

/** The answer to a browser that asks whether a page of this origin may send a request. */
export const preflightHeaders = (origin: string): Record<string, string> => ({
  ...corsHeaders(origin),
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, last-event-id, x-cairn-directory, x-opencode-directory, x-opencode-workspace",
  "access-control-max-age": "600",
})
