import type { ProbeAnswer } from "./define.ts"

/** More comparisons than this are not begun: a few seconds' worth. */
export const mostSteps = 2_000_000_000

export const tooLarge = (field: string): ProbeAnswer => ({
  error: { kind: "bad_request", message: `${field}: too long together with what it is held against` },
})
