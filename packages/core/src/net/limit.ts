import { NetError } from "./error.ts"

/**
 * The response with a body of at most `bytes`. What is longer fails with `too_large`; with `cut` it just
 * ends there. Bytes are passed on as they come and only when they are asked for.
 */
export function limitBody(response: Response, bytes: number, cut: boolean): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  let left = bytes
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (value.byteLength <= left) {
          left -= value.byteLength
          return controller.enqueue(value)
        }
        await reader.cancel()
        if (!cut) return controller.error(new NetError("too_large", `the answer is longer than ${bytes} bytes`))
        if (left > 0) controller.enqueue(value.subarray(0, left))
        controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}
