import { systemClock } from "@cairn/kernel/clock"
import { createBlobStore } from "../../src/workspace/history/blob-store.ts"
import { noise } from "./temp-blobs.ts"

/** Stores contents in the directory that it is given until it is killed, and says each as a line of JSON once it is stored. */
const store = createBlobStore(process.argv[2] ?? "", systemClock)
for (let n = 0; ; n++) {
  const stored = await store.put(noise(1 + ((n * 7_919) % 90_000), process.pid + n))
  if (!stored.ok) throw new Error(stored.error.message)
  process.stdout.write(`${JSON.stringify(stored.value)}\n`)
}
