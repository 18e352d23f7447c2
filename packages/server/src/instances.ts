import { realpath } from "node:fs/promises"
import type { Engine } from "@cairn/schema/engine"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { err, ok, type Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"

export type OpenEngine = (directory: string) => Promise<Result<Engine, SetupError>>

/** An engine in use: it is not dropped before this is let go. */
export interface InstanceLease extends Disposable {
  readonly engine: Engine
}

/** Is told of every engine that is there, at once, and of those that come and go. It must not throw. */
export interface InstanceObserver {
  opened(engine: Engine): void
  /** It is about to be closed: what it runs is interrupted now, and the end of that is told. It must not be read later. */
  closing?(engine: Engine): void
  /** It has gone. */
  closed(directory: string): void
}

/**
 * The engines of this process, one for each directory.
 *
 *     none ──open──► building ──► in use ◄──► idle ──10 min, nothing runs──► closing ──► none
 *
 * Who opens a directory while its engine closes gets a new one, once the old one is gone.
 */
export interface Instances extends AsyncDisposable {
  open(directory: string): Promise<Result<InstanceLease, SetupError>>
  /** Engines that are there now. */
  engines(): Engine[]
  observe(observer: InstanceObserver): () => void
  /** Closes the engine of a directory as soon as nobody uses it and nothing runs: its config has changed. */
  renew(directory: string): void
  /** Closes the engine of a directory, whoever uses it: what it runs is interrupted. False when there is none. */
  drop(directory: string): Promise<boolean>
  /** Closes all of them. */
  dropAll(): Promise<void>
}

export interface InstancesOptions {
  readonly openEngine: OpenEngine
  readonly clock: Clock
  readonly log: Log
  /** How long an engine that nobody uses is kept. ms */
  readonly idleMs?: number
}

/** How often an engine that is outdated is looked at while something runs in it. ms */
const outdatedMs = 1_000
const defaultIdleMs = 10 * 60_000

export const createInstances = (options: InstancesOptions): Instances => new EngineInstances(options)

interface Entry {
  readonly directory: string
  readonly opening: Promise<Result<Engine, SetupError>>
  engine: Engine | undefined
  users: number
  /** It is not to be kept longer than needed. */
  outdated: boolean
  stopTimer: () => void
  closing: Promise<void> | undefined
}

class EngineInstances implements Instances {
  readonly #options: InstancesOptions
  readonly #entries = new Map<string, Entry>()
  readonly #observers = new Set<InstanceObserver>()
  readonly #scope = new TaskGroup()

  constructor(options: InstancesOptions) {
    this.#options = options
  }

  async open(path: string): Promise<Result<InstanceLease, SetupError>> {
    const directory = await realpath(path).catch(() => undefined)
    if (directory === undefined) return err({ kind: "directory", message: `${path} does not exist or cannot be read.` })
    for (;;) {
      const entry = this.#entries.get(directory) ?? this.#build(directory)
      if (entry.closing) {
        await entry.closing
        continue
      }
      entry.users += 1
      entry.stopTimer()
      const opened = await entry.opening.catch((error: unknown) => {
        this.#leave(entry)
        throw error
      })
      if (opened.ok && !entry.closing) return ok(this.#lease(entry, opened.value))
      this.#leave(entry)
      if (!opened.ok) return opened
    }
  }

  engines(): Engine[] {
    return [...this.#entries.values()].flatMap(({ engine, closing }) => (engine && !closing ? [engine] : []))
  }

  observe(observer: InstanceObserver): () => void {
    this.#observers.add(observer)
    for (const engine of this.engines()) observer.opened(engine)
    return () => void this.#observers.delete(observer)
  }

  renew(directory: string): void {
    const entry = this.#entries.get(directory)
    if (!entry || entry.outdated) return
    entry.outdated = true
    if (entry.users === 0 && entry.engine && !entry.closing) this.#wait(entry)
  }

  async drop(path: string): Promise<boolean> {
    const directory = await realpath(path).catch(() => path)
    const entry = this.#entries.get(directory)
    if (!entry) return false
    await this.#close(entry)
    return true
  }

  async dropAll(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#close(entry)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dropAll()
    await this.#scope[Symbol.asyncDispose]()
  }

  #build(directory: string): Entry {
    const built = Promise.withResolvers<Result<Engine, SetupError>>()
    const entry: Entry = {
      ...{ directory, opening: built.promise, engine: undefined, users: 0, outdated: false },
      stopTimer: () => {},
      closing: undefined,
    }
    this.#entries.set(directory, entry)
    void this.#scope.run(async () => {
      try {
        const opened = await this.#options.openEngine(directory)
        if (opened.ok) this.#arrived(entry, opened.value)
        else this.#entries.delete(directory)
        built.resolve(opened)
      } catch (error) {
        this.#entries.delete(directory)
        built.reject(error)
      }
    })
    return entry
  }

  #arrived(entry: Entry, engine: Engine): void {
    entry.engine = engine
    for (const observer of this.#observers) observer.opened(engine)
  }

  #lease(entry: Entry, engine: Engine): InstanceLease {
    let held = true
    return {
      engine,
      [Symbol.dispose]: () => {
        if (held) this.#leave(entry)
        held = false
      },
    }
  }

  #leave(entry: Entry): void {
    entry.users -= 1
    if (entry.users === 0 && entry.engine && !entry.closing) this.#wait(entry)
  }

  #wait(entry: Entry): void {
    const { clock, idleMs: usual = defaultIdleMs } = this.#options
    entry.stopTimer()
    if (entry.outdated && !isBusy(entry.engine)) return void this.#scope.run(() => this.#close(entry))
    const idleMs = entry.outdated ? Math.min(usual, outdatedMs) : usual
    entry.stopTimer = clock.timer(idleMs, () => {
      if (entry.users > 0 || entry.closing) return
      if (isBusy(entry.engine)) this.#wait(entry)
      else void this.#scope.run(() => this.#close(entry))
    })
  }

  /** Joins a closing that is under way. Never rejects. */
  #close(entry: Entry): Promise<void> {
    entry.stopTimer()
    entry.closing ??= this.#dispose(entry)
    return entry.closing
  }

  async #dispose(entry: Entry): Promise<void> {
    const { log } = this.#options
    try {
      const opened = await entry.opening
      if (!opened.ok) return
      for (const observer of this.#observers) observer.closing?.(opened.value)
      await opened.value[Symbol.asyncDispose]()
    } catch (error) {
      log.error("an engine could not be closed", { directory: entry.directory, error })
    } finally {
      this.#entries.delete(entry.directory)
      if (entry.engine) for (const observer of this.#observers) observer.closed(entry.engine.directory)
    }
  }
}

/** A queued prompt goes on after its sender has gone, and an ask waits for whoever comes back. */
function isBusy(engine: Engine | undefined): boolean {
  return engine !== undefined && Object.keys(engine.statuses()).length > 0
}
