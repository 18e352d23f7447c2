import { fstatSync, readFileSync, statSync } from "node:fs"
import { devNull } from "node:os"
import { findHome } from "@cairn/core/workspace/user-home"
import { systemClock } from "@cairn/kernel/clock"
import type { Interruption, Io, Out, Stdin } from "./io.ts"
import { version } from "./version.ts"

/** The real process as `Io`. Importing this touches nothing; calling it installs the listeners of stdout and stderr. */
export function processIo(): Io {
  const gone = new Set<(interruption: Interruption) => void>()
  const lost = () => {
    for (const listener of gone) listener("SIGPIPE")
  }
  const stdout = out(process.stdout, lost, wasClosed(1) ? "it was closed when the program started" : undefined)
  return {
    stdout,
    stderr: out(process.stderr, () => {}),
    stdin: processStdin(),
    env: process.env,
    cwd: currentDirectory(),
    home: findHome(),
    version,
    clock: systemClock,
    interruptions(listener) {
      const interrupt = () => listener("SIGINT")
      const terminate = () => listener("SIGTERM")
      process.on("SIGINT", interrupt)
      process.on("SIGTERM", terminate)
      process.on("SIGHUP", terminate)
      gone.add(listener)
      return () => {
        process.off("SIGINT", interrupt)
        process.off("SIGTERM", terminate)
        process.off("SIGHUP", terminate)
        gone.delete(listener)
      }
    },
    exitNow: (code) => process.exit(code),
    openEngine: async (options) => (await import("@cairn/core/app")).createEngine(options),
    examine: async (options) => (await import("@cairn/core/doctor/doctor")).examine(options),
  }
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined // removed under us
  }
}

/**
 * The runtime puts /dev/null in the place of a descriptor that was closed, so writing to it works. It is marked to be
 * closed on exec, which nothing that was inherited can be.
 */
function wasClosed(descriptor: number): boolean {
  if (process.platform !== "linux") return false
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) !== 0
  } catch {
    return false // no /proc here: nobody can say
  }
}
const closeOnExec = 0o2000000

/** A write that fails (a reader that went away, a full disk) ends the stream: what follows is dropped. */
function out(stream: NodeJS.WriteStream, onGone: () => void, failed?: string): Out {
  let alive = failed === undefined
  let pending = 0
  let drained = Promise.withResolvers<void>()
  let failure = failed
  const lost = (error: Error & { code?: string }) => {
    if (!alive) return
    alive = false
    if (error.code !== "EPIPE") failure = error.message
    drained.resolve()
    onGone()
  }
  stream.on("error", lost)
  return {
    isTerminal: stream.isTTY === true,
    get failure() {
      return failure
    },
    get columns() {
      return stream.columns || 80
    },
    write(text) {
      if (!alive || text === "") return
      if (pending++ === 0) drained = Promise.withResolvers<void>()
      stream.write(text, (error) => {
        if (error) lost(error)
        if (--pending === 0) drained.resolve()
      })
    },
    async flush() {
      if (alive && pending > 0) await drained.promise
    },
  }
}

function processStdin(): Stdin {
  return { kind: stdinKind(), chunks: () => Bun.stdin.stream() }
}

function stdinKind(): Stdin["kind"] {
  try {
    const stat = fstatSync(0)
    if (stat.isFile()) return "file"
    if (stat.isDirectory()) return "directory"
    if (stat.isFIFO() || stat.isSocket()) return "pipe"
    if (stat.isCharacterDevice() && stat.rdev === statSync(devNull).rdev) return "none"
    // Another character device that is no terminal: it ends by itself.
    return process.stdin.isTTY ? "terminal" : "file"
  } catch {
    // A closed descriptor.
    return "none"
  }
}
