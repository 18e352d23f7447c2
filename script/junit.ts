/** What a test run amounts to. `problems`: one line each for what failed without being a test. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly problems: readonly string[]
}

/**
 * Counts a run of `files` (paths as given to the runner) from its JUnit report, `undefined` when there is
 * none. `end` is how the runner ended: its exit code, or the signal's name. A file without a single test in
 * the report did not load or died, and counts as one failure; so does a runner that fails for no test.
 */
export function tally(report: string | undefined, files: readonly string[], end: number | string): Tally {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const seen = new Set<string>()
  for (const [, attributes = "", body = ""] of (report ?? "").matchAll(
    /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const file = /\bfile="([^"]*)"/.exec(attributes)?.[1]
    if (file !== undefined) seen.add(clean(unescape(file)))
    if (/<(?:failure|error)\b/.test(body)) counts.failed++
    else if (/<skipped\b/.test(body)) counts.skipped++
    else counts.passed++
  }
  const problems = files.filter((file) => !seen.has(clean(file))).map((file) => `${file}: no test of it ran`)
  counts.failed += problems.length
  if (end !== 0 && counts.failed === 0) {
    counts.failed++
    problems.push(`the runner ended with ${end}, though no test failed`)
  }
  if (files.length === 0) problems.push("no test file was found")
  return { ...counts, problems }
}

/** The line that ends a run: `3 passed, 0 failed`. */
export const summary = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`

function clean(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\.\//, "")
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => entities[name] ?? whole)
}
