import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import type { PromptText } from "./prompt-text.ts"
import { expanded } from "./prompt-text.ts"

/** Milliseconds of quiet before a draft is written. */
const quiet = 300

/** Where drafts lie: a file each, by what they are for. */
export interface DraftPlace {
  read(name: string): Promise<string | undefined>
  write(name: string, text: string): Promise<void>
  remove(name: string): Promise<void>
  /** Names of the drafts that were put aside. */
  list(): Promise<readonly string[]>
}

/** Keeps what is being written for each session, so that a crash loses no more than the last third of a second. */
export class Drafts {
  readonly #place: DraftPlace
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  readonly #waiting = new Map<string, { readonly text: string; readonly cancel: () => void }>()
  #written: Promise<void> = Promise.resolve()

  /** `failed` hears of a draft that could not be written: the prompt goes on. */
  constructor(place: DraftPlace, clock: Clock, failed: (error: unknown) => void) {
    this.#place = place
    this.#clock = clock
    this.#failed = failed
  }

  restore(name: string): Promise<string | undefined> {
    return this.#place.read(name)
  }

  /** The prompt as it now is; written when the keys rest. An empty one is removed. */
  changed(name: string, prompt: PromptText): void {
    this.#waiting.get(name)?.cancel()
    const { text } = expanded(prompt)
    const cancel = this.#clock.timer(quiet, () => this.#write(name, text))
    this.#waiting.set(name, { text, cancel })
  }

  /** Writes what waits, now. Resolves when all is written. */
  async flush(): Promise<void> {
    for (const [name, { text, cancel }] of this.#waiting) {
      cancel()
      this.#write(name, text)
    }
    await this.#written
  }

  #write(name: string, text: string): void {
    this.#waiting.delete(name)
    // One after the other: an older text may not be written over a newer one.
    this.#written = this.#written
      .then(() => (text === "" ? this.#place.remove(name) : this.#place.write(name, text)))
      .catch(this.#failed)
  }
}

/** A directory for this user alone. Names become file names, whatever they hold. */
export function draftDirectory(directory: string): DraftPlace {
  const fileOf = (name: string) => join(directory, `${encodeURIComponent(name).replaceAll(".", "%2E")}.txt`)
  return {
    read: (name) =>
      readFile(fileOf(name), "utf8").then(
        (text) => text,
        () => undefined,
      ),
    async write(name, text) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const partial = `${fileOf(name)}.${process.pid}.partial`
      await writeFile(partial, text, { mode: 0o600 })
      await rename(partial, fileOf(name))
    },
    remove: (name) => rm(fileOf(name), { force: true }),
    async list() {
      const names = await readdir(directory).catch((): string[] => [])
      return names.filter((name) => name.endsWith(".txt")).map((name) => decodeURIComponent(name.slice(0, -4)))
    },
  }
}
