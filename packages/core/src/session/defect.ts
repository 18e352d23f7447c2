import { StoreFailed } from "../store/trouble.ts"

/** What the user reads of something that was thrown: trouble with the database says itself what to do, the rest is our fault. */
export function defectText(problem: unknown): string {
  if (problem instanceof StoreFailed) return problem.message
  return `Cairn failed internally: ${problem instanceof Error ? problem.message : String(problem)}`
}
