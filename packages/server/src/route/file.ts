import { err, ok, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { mostFound } from "@cairn/schema/operation/file"
import { type Failure, failure, notFound } from "../failure.ts"
import type { Routes } from "../route.ts"

type FileRoute =
  | "find.text"
  | "find.files"
  | "find.symbols"
  | "file.list"
  | "file.read"
  | "file.status"
  | "vcs.get"
  | "vcs.status"
  | "vcs.diff"
  | "vcs.diff.raw"

/** Names of one call when the caller does not say. */
const usualNames = 100

export const fileRoutes: Routes<FileRoute> = {
  async "find.text"({ engine, query: { pattern, limit = mostFound } }) {
    return told(await (await engine.files()).text(pattern, Math.min(limit, mostFound)))
  },
  async "find.files"({ engine, query: { query, type, dirs, limit = usualNames } }) {
    const wanted = type ?? (dirs === "false" ? ("file" as const) : undefined)
    return told(await (await engine.files()).find({ query, limit, ...(wanted && { type: wanted }) }))
  },
  // No language server speaks to us yet.
  "find.symbols": () => ok([]),
  "file.list": async ({ engine, query }) => told(await (await engine.files()).list(query.path)),
  "file.read": async ({ engine, query }) => told(await (await engine.files()).read(query.path)),
  async "file.status"({ engine }) {
    const found = told(await (await engine.vcs()).status())
    if (!found.ok) return found
    return ok(
      found.value.map(({ file, additions, deletions, status }) => ({
        ...{ path: file, added: additions, removed: deletions, status },
      })),
    )
  },
  "vcs.get": async ({ engine }) => ok(await (await engine.vcs()).info()),
  "vcs.status": async ({ engine }) => told(await (await engine.vcs()).status()),
  "vcs.diff": async ({ engine, query }) => told(await (await engine.vcs()).diff(query.mode, query.context)),
  async "vcs.diff.raw"({ engine }) {
    const found = told(await (await engine.vcs()).diff("git"))
    if (!found.ok) return found
    const headers = { "content-type": "text/x-diff; charset=utf-8" }
    return ok(new Response(found.value.map(({ patch = "" }) => patch).join(""), { headers }))
  },
}

/** A file that may not be looked at is 403, one that is not there 404; whatever else is the matter, the caller can mend. */
function told<T>(result: Result<T, ToolFailure>): Result<T, Failure> {
  if (result.ok) return result
  const { kind, message } = result.error
  if (kind === "missing") return err(notFound(message))
  if (kind === "denied" || kind === "outside") return err(failure("ForbiddenError", message))
  return err(failure(kind === "io" ? "UnknownError" : "BadRequest", message))
}
