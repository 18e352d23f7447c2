import type { Log } from "@cairn/kernel/log"
import script from "./watchdog.sh" with { type: "text" }

/** Ends the children's sessions when this process dies without doing so itself (SIGKILL). */
export interface Watchdog extends Disposable {
  add(leader: number): void
  remove(leader: number): void
}

/**
 * One small shell beside the engine, started with the first child. It holds the reading end of a pipe whose only
 * writing end is ours: the kernel closes it however we die. If it is killed, the next `add` starts another. Where there is no shell, children
 * run without it, and the log says so once.
 */
export function createWatchdog(log: Log, program = "/bin/sh"): Watchdog {
  const leaders = new Set<number>()
  let shell: Shell | undefined
  let told = false
  const without = (error?: unknown) => {
    if (!told) log.warn("the watchdog does not start: children go on if Cairn itself is killed", { program, error })
    told = true
  }

  /** Sends a line; a shell that does not take it is dead, and its successor is told of all leaders. */
  const say = (line: string) => {
    if (shell && write(shell, line, log)) return
    shell = leaders.size > 0 ? start(program, without) : undefined
    if (shell && !write(shell, [...leaders].map((leader) => `+${leader}\n`).join(""), log)) without()
  }

  return {
    add(leader) {
      leaders.add(leader)
      say(`+${leader}\n`)
    },
    remove(leader) {
      leaders.delete(leader)
      if (shell) say(`-${leader}\n`)
    },
    [Symbol.dispose]() {
      void shell?.stdin.end()
      shell = undefined
    },
  }
}

function write(shell: Shell, text: string, log: Log): boolean {
  if (shell.exitCode !== null || shell.signalCode !== null) return false
  try {
    void shell.stdin.write(text)
    // The next line tells whether it was lost.
    void Promise.resolve(shell.stdin.flush()).catch((error: unknown) =>
      log.debug("the watchdog does not listen", { error }),
    )
    return true
  } catch {
    // EPIPE: somebody killed it and we have not been told yet.
    return false
  }
}

type Shell = Bun.Subprocess<"pipe", "ignore", "ignore">

function start(program: string, without: (error: unknown) => void): Shell | undefined {
  try {
    const shell = Bun.spawn([program, "-c", script, "cairn-watchdog"], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      // Its own session: what ends our group (Ctrl-C, a supervisor) must not end it.
      detached: true,
    })
    shell.unref()
    return shell
  } catch (error) {
    without(error)
    return undefined
  }
}
