import type { z } from "zod"

type Issue = z.core.$ZodIssue

/** The first thing that is wrong, in one line: which field, and what was expected. */
export function describeIssue(error: z.ZodError, whole: string): string {
  const [issue] = error.issues
  if (!issue) return `${whole} does not fit`
  const { path, message } = telling(issue)
  return `${path.map(String).join(".").slice(0, 200) || whole}: ${message.slice(0, 500)}`
}

/** Of several shapes that would have been right the one that was meant: its mistake lies deeper. Else what each expected. */
function telling(issue: Issue): { readonly path: readonly PropertyKey[]; readonly message: string } {
  if (issue.code !== "invalid_union") return issue
  const deep = issue.errors.find((branch) => branch.length > 0 && branch.every(({ path }) => path.length > 0))?.[0]
  if (deep) {
    const { path, message } = telling(deep)
    return { path: [...issue.path, ...path], message }
  }
  const all = issue.errors.flatMap((branch) => (branch[0] ? [telling(branch[0]).message] : []))
  return issue.message === "Invalid input" && all.length > 0 ? { path: issue.path, message: all.join(", or: ") } : issue
}
