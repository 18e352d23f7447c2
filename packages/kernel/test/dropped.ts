import { TaskGroup, abortable, until } from "@cairn/kernel/task"

/** Drops every promise that may be dropped and prints the unhandled rejections as JSON: none, if all is well. */
const unhandled: string[] = []
process.on("unhandledRejection", (reason) => unhandled.push(String(reason)))
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const fails = (after: Promise<unknown>, what: string) => after.then(() => Promise.reject(new Error(what)))

const group = new TaskGroup()
void group.run(() => fails(turn(), "a child"))
void group.run((signal) => abortable(new Promise(() => {}), signal))
void group.run((signal) => abortable(fails(turn().then(turn), "late, after the abort"), signal))
await group.join().catch(() => undefined)
await group[Symbol.asyncDispose]()

const reader = new TaskGroup()
const source: AsyncIterable<number> = {
  [Symbol.asyncIterator]: () => ({
    next: () => fails(turn().then(turn), "next, after the abort"),
    return: () => Promise.reject(new Error("return")),
  }),
}
const reading = until(source, reader.signal)
  .next()
  .catch(() => undefined)
reader.cancel()
await reading
for (let left = 0; left < 10; left++) await turn()
process.stdout.write(`${JSON.stringify(unhandled)}\n`)
