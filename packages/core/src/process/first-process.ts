import type { Clock } from "@cairn/kernel/clock"
import { waitFor } from "./wait.ts"

/**
 * Number of the first process of a namespace, out of what bubblewrap tells of it (`{"child-pid": 7, …}`) before it starts
 * the command. Undefined when it told nothing. Call it when bubblewrap has ended; closes the stream.
 */
export async function firstProcess(told: ReadableStream<Uint8Array>, clock: Clock): Promise<number | undefined> {
  const reader = told.getReader()
  let text = ""
  const read = reader.read().then(
    ({ value }) => void (text = new TextDecoder().decode(value)),
    () => undefined,
  )
  // All that it tells is there by now; what waits is a writer that it should not have left behind.
  await waitFor(read, clock, 50)
  await reader.cancel()
  const number = /"child-pid":\s*(\d+)/.exec(text)?.[1]
  return number === undefined ? undefined : Number(number)
}
