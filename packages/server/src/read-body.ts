import type { Clock } from "@cairn/kernel/clock"
import { Deadline, DeadlineExceeded } from "@cairn/kernel/deadline"
import { err, ok, type Result } from "@cairn/kernel/result"
import { until } from "@cairn/kernel/task"
import { type Failure, failure } from "./failure.ts"

/** How long a body may take, however slowly it trickles in. ms */
const bodyMs = 30_000

/** The JSON of a body, undefined when there is none. It is never held beyond `limit` bytes, nor waited for beyond 30 s. */
export async function readJson(
  request: Request,
  { limit, clock }: { readonly limit: number; readonly clock: Clock },
): Promise<Result<unknown, Failure>> {
  const declared = Number(request.headers.get("content-length") ?? 0)
  if (declared > limit) return err(tooLarge(limit))
  if (!request.body) return ok(undefined)
  using deadline = new Deadline(clock, "the body", bodyMs)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of until<Uint8Array>(request.body, deadline.signal)) {
      size += chunk.byteLength
      if (size > limit) return err(tooLarge(limit))
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof DeadlineExceeded) return err(bad(`The body did not arrive within ${bodyMs / 1000} s.`))
    return err(bad("The body broke off."))
  }
  return parse(chunks)
}

function parse(chunks: readonly Uint8Array[]): Result<unknown, Failure> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
    return ok(text.trim() === "" ? undefined : (JSON.parse(text) as unknown))
  } catch {
    return err(bad("The body is no JSON.")) // or no UTF-8, or nested beyond reading
  }
}

const bad = (message: string): Failure => failure("BadRequest", message, { kind: "Body" })

const tooLarge = (limit: number): Failure =>
  failure("PayloadTooLargeError", `The body is larger than ${limit / 1024} KiB, the most that this operation takes.`)
