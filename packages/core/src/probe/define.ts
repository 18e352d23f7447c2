import type { ToolFailureKind } from "@cairn/schema/error"
import type { z } from "zod"

export interface ProbeError {
  readonly kind: ToolFailureKind | "unknown_probe" | "bad_request"
  readonly message: string
}

/** What stands beside `n` in the answer. */
export type ProbeAnswer = Readonly<Record<string, unknown>> & { readonly error?: ProbeError }

/** What an answer may depend on beside the request's fields. */
export interface ProbeContext {
  /** The request as it was sent, for those to whom the order of keys matters. */
  readonly line: string
  /** What `~` and `$HOME` stand for; without it they stand for themselves. */
  readonly home: string | undefined
}

/** One probe: what a request holds beside `n` and `probe`, and the answer of the engine's own function. */
export interface Probe<Request extends z.ZodType = z.ZodType> {
  readonly request: Request
  answer(request: z.infer<Request>, around: ProbeContext): ProbeAnswer | Promise<ProbeAnswer>
}

/** Keeps the request's type while a probe is written. */
export function defineProbe<Request extends z.ZodType>(probe: Probe<Request>): Probe<Request> {
  return probe
}

/** The error of a tool as a probe says it: nothing but kind and message. */
export const failed = ({ kind, message }: ProbeError): { readonly error: ProbeError } => ({ error: { kind, message } })
