import { lstat, mkdir, open, readdir, unlink, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { type Counted, cutText, type OutputLimits } from "./cut-text.ts"
import { Window } from "./window.ts"

/** `head` keeps the beginning (listings, files), `tail` the end (commands: the outcome stands last). */
export type Direction = "head" | "tail"

/** Whose output it is: names the file that a long one is kept in. */
export interface OutputOwner {
  readonly sessionID: string
  readonly callID: string
}

/** What the model gets. `spill` is the file that has the whole, when `text` does not. */
export interface Fitted {
  readonly text: string
  readonly truncated: boolean
  readonly spill?: string
}

/** Takes output as it comes, in bounded memory. Leaving the scope without `end` removes what was spilled. */
export interface OutputWriter extends AsyncDisposable {
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<Fitted>
}

/** Keeps what the model gets within the limits, and the whole in a file (0600) that the model is told of. */
export interface Output {
  fit(text: string, owner: OutputOwner, direction?: Direction): Promise<Fitted>
  open(owner: OutputOwner, direction: Direction): OutputWriter
  /** Removes files of more than seven days. Resolves with how many; never rejects. */
  sweep(): Promise<number>
}

export interface OutputOptions {
  /** `<data>/tool-output`, made (0700) when it is needed. */
  readonly directory: string
  readonly clock: Pick<Clock, "now">
  readonly log: Log
  readonly limits?: Partial<OutputLimits>
}

const keptMs = 7 * 24 * 60 * 60 * 1_000
/** An endless command must not fill the disk before its timeout. */
const longestSpill = 104_857_600

export function createOutput(options: OutputOptions): Output {
  const limits: OutputLimits = {
    maxLines: options.limits?.maxLines ?? 2_000,
    maxBytes: options.limits?.maxBytes ?? 51_200,
  }
  const openWriter = (owner: OutputOwner, direction: Direction) => createWriter(options, limits, owner, direction)
  return {
    open: openWriter,
    async fit(text, owner, direction = "head") {
      if (isShort(text, limits)) return { text, truncated: false }
      await using writer = openWriter(owner, direction)
      await writer.write(new TextEncoder().encode(text))
      return await writer.end()
    },
    sweep: () => sweep(options),
  }
}

/** Certainly within the limits: at most three bytes a UTF-16 unit. What is no Unicode has to be made some. */
function isShort(text: string, { maxBytes, maxLines }: OutputLimits): boolean {
  if (text.length * 3 > maxBytes || !text.isWellFormed() || text.startsWith("\uFEFF")) return false
  let lines = 1
  for (let at = text.indexOf("\n"); at >= 0 && lines <= maxLines; at = text.indexOf("\n", at + 1)) lines++
  return lines <= maxLines
}

function createWriter(
  options: OutputOptions,
  limits: OutputLimits,
  owner: OutputOwner,
  direction: Direction,
): OutputWriter {
  const window = new Window(limits.maxBytes, direction)
  const spill = new Spill(options, owner)
  let pending: Uint8Array[] = []
  let ended = false
  return {
    async write(chunk) {
      window.push(chunk)
      if (window.bytes <= limits.maxBytes && window.lines <= limits.maxLines) return void pending.push(chunk)
      for (const held of pending) await spill.write(held)
      pending = []
      await spill.write(chunk)
    },
    async end() {
      ended = true
      const cut = cutText(window.text(), { bytes: window.bytes, lines: window.lines }, limits, direction)
      if (!cut.truncated) return { text: cut.text, truncated: false }
      // A last line without its end can be the one too many: nothing has been spilled then.
      for (const held of pending) await spill.write(held)
      const path = await spill.close()
      const note = notice(cut.left, direction, path, spill)
      const text = direction === "head" ? `${cut.text}\n\n${note}` : `${note}\n\n${cut.text}`
      return { text, truncated: true, ...(path === undefined ? {} : { spill: path }) }
    },
    async [Symbol.asyncDispose]() {
      if (!ended) await spill.discard()
    },
  }
}

function notice(left: Counted, direction: Direction, path: string | undefined, spill: Spill): string {
  const where = direction === "head" ? "more" : "earlier"
  const what =
    left.lines > 0
      ? `${left.lines} ${where} ${left.lines === 1 ? "line" : "lines"} (${left.bytes} bytes)`
      : `${left.bytes} ${where} bytes of the line`
  if (path === undefined) return `[${what} left out; they could not be saved: ${spill.problem}]`
  const whole = spill.full ? `The first ${longestSpill} bytes are` : "The whole output is"
  return `[${what} left out. ${whole} in ${path}: read it with offset and limit, or grep it.]`
}

/** The file of one call, made at its first write. A failure is kept (`problem`) and ends the writing. */
class Spill {
  problem: string | undefined
  full = false
  #file: { readonly handle: FileHandle; readonly path: string } | undefined
  #written = 0

  constructor(
    private readonly options: OutputOptions,
    private readonly owner: OutputOwner,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    const fits = bytes.subarray(0, longestSpill - this.#written)
    if (fits.length < bytes.length) this.full = true
    if (this.problem !== undefined || fits.length === 0) return
    try {
      this.#file ??= await create(this.options.directory, fileName(this.owner))
      await this.#file.handle.writeFile(fits)
      this.#written += fits.length
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error)
      this.options.log.warn("tool output could not be saved", { error })
      await this.discard()
    }
  }

  async close(): Promise<string | undefined> {
    await this.#file?.handle.close()
    return this.#file?.path
  }

  async discard(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    if (!file) return
    await file.handle.close().catch((error: unknown) => this.options.log.warn("a spill file did not close", { error }))
    await unlink(file.path).catch((error: unknown) => this.options.log.warn("a spill file stays", { error }))
  }
}

/** Call ids come from providers and may be anything; two sessions may have the same. */
function fileName({ sessionID, callID }: OutputOwner): string {
  const safe = callID.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)
  return `${safe}-${new Bun.CryptoHasher("sha256").update(`${sessionID}\0${callID}`).digest("hex").slice(0, 12)}`
}

async function create(directory: string, name: string): Promise<{ handle: FileHandle; path: string }> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (let attempt = 1; ; attempt++) {
    const path = join(directory, `${name}${attempt === 1 ? "" : `-${attempt}`}.txt`)
    try {
      // Never over a file, or through a link, that is there already.
      return { handle: await open(path, "wx", 0o600), path }
    } catch (error) {
      const taken = error instanceof Error && "code" in error && error.code === "EEXIST"
      if (!taken || attempt === 1_000) throw error
    }
  }
}

async function sweep({ directory, clock, log }: OutputOptions): Promise<number> {
  let removed = 0
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const path = join(directory, name)
    try {
      const info = await lstat(path)
      if (!info.isFile() || clock.now() - info.mtimeMs <= keptMs) continue
      await unlink(path)
      removed++
    } catch (error) {
      log.warn("an old tool output stays", { path, error })
    }
  }
  return removed
}
