import { z } from "zod"
import { FileContent, FileNode, TextMatch } from "../file.ts"
import { VcsFileDiff, VcsFileStatus, VcsInfo } from "../vcs.ts"
import { operationGroup } from "./define.ts"
import { count } from "./query.ts"

/** Matches and names that one call gives at most. */
export const mostFound = 200

const pathQuery = z.object({ path: z.string() })

/** The directory for a person to look at. What the rules would ask about is refused: nobody is asked here. */
export const fileOperations = operationGroup({
  "find.text": {
    method: "GET",
    path: "/find",
    summary: "Lines that match a regular expression, in files that may be read",
    query: z.object({ pattern: z.string().min(1), limit: count.optional() }),
    response: z.array(TextMatch),
    reach: "directory",
    changes: false,
    long: true,
  },
  "find.files": {
    method: "GET",
    path: "/find/file",
    summary: "Paths that fit a query, best first; those of directories end with a slash",
    query: z.object({
      query: z.string().max(1_000),
      dirs: z.enum(["true", "false"]).optional(),
      type: z.enum(["file", "directory"]).optional(),
      limit: count.max(mostFound).min(1).optional(),
    }),
    response: z.array(z.string()),
    reach: "directory",
    changes: false,
    long: true,
  },
  "find.symbols": {
    method: "GET",
    path: "/find/symbol",
    summary: "Symbols of the code; none without a language server",
    query: z.object({ query: z.string() }),
    response: z.array(
      z.object({
        name: z.string(),
        kind: z.number().int().nonnegative(),
        location: z.object({ uri: z.string(), range: z.record(z.string(), z.unknown()) }),
      }),
    ),
    reach: "directory",
    changes: false,
  },
  "file.list": {
    method: "GET",
    path: "/file",
    summary: "What a directory holds, directories first",
    query: pathQuery,
    response: z.array(FileNode),
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "file.read": {
    method: "GET",
    path: "/file/content",
    summary: "What a file holds, if the rules let it be read without asking",
    query: pathQuery,
    response: FileContent,
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "file.status": {
    method: "GET",
    path: "/file/status",
    summary: "Files that differ from the last commit",
    response: z.array(
      z.object({
        path: z.string(),
        added: z.number().int().nonnegative(),
        removed: z.number().int().nonnegative(),
        status: VcsFileStatus.shape.status,
      }),
    ),
    reach: "directory",
    changes: false,
    long: true,
  },
  "vcs.get": {
    method: "GET",
    path: "/vcs",
    summary: "The branch of the working tree, and the default one",
    response: VcsInfo,
    reach: "directory",
    changes: false,
  },
  "vcs.status": {
    method: "GET",
    path: "/vcs/status",
    summary: "Files that differ from the last commit, in lines",
    response: z.array(VcsFileStatus),
    reach: "directory",
    changes: false,
    long: true,
  },
  "vcs.diff": {
    method: "GET",
    path: "/vcs/diff",
    summary: "What was changed since the last commit, or since the branch left the default one",
    query: z.object({ mode: z.enum(["git", "branch"]), context: count.optional() }),
    response: z.array(VcsFileDiff),
    reach: "directory",
    changes: false,
    long: true,
  },
  "vcs.diff.raw": {
    method: "GET",
    path: "/vcs/diff/raw",
    summary: "What was changed since the last commit, as one patch",
    response: z.string(),
    reach: "directory",
    changes: false,
    stream: "text",
  },
})
