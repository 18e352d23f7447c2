import type { z } from "zod"

/** The first thing that is wrong, in one line: which field, and what was expected. */
export function describeIssue(error: z.ZodError, whole: string): string {
  const [issue] = error.issues
  if (!issue) return `${whole} does not fit`
  const path = issue.path.map(String).join(".").slice(0, 200) || whole
  return `${path}: ${issue.message.slice(0, 500)}`
}
