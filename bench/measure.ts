import { readFileSync } from "node:fs"

/** What one process cost, with the children that it waited for. */
export interface Cost {
  /** From start to exit, ms. */
  readonly wall: number
  /** User and system time, ms. */
  readonly cpu: number
}

export interface Program {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const longest = 60_000

/** Runs a program to its end. Throws with what it said when it fails, or when it takes a minute. */
export async function measure(program: Program): Promise<Cost> {
  const start = performance.now()
  const child = spawn(program)
  await finish(child, program)
  const wall = performance.now() - start
  return { wall, cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 }
}

/**
 * The greatest memory that a program itself held (resident, bytes); its time means nothing, for it is watched all along.
 * What the kernel reports after its end would include the memory of us who started it, so on Linux the high-water mark
 * is read while it runs; elsewhere the report has to do.
 */
export async function peakMemory(program: Program): Promise<number> {
  const child = spawn(program)
  let ended = false
  const end = finish(child, program).finally(() => {
    ended = true
  })
  let peak = 0
  while (!ended) {
    peak = Math.max(peak, highWater(child.pid))
    await Bun.sleep(0)
  }
  await end
  return peak > 0 ? peak : (child.resourceUsage()?.maxRSS ?? 0)
}

function highWater(pid: number): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))
    return Number(found?.[1] ?? 0) * 1024
  } catch {
    return 0 // it has just ended, or there is no /proc
  }
}

type Child = Bun.Subprocess<"ignore", "ignore", "pipe">

function spawn({ argv, cwd, env }: Program): Child {
  return Bun.spawn([...argv], {
    cwd,
    env: { ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: longest,
    killSignal: "SIGKILL",
  })
}

async function finish(child: Child, { argv }: Program): Promise<void> {
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code === 0) return
  throw new Error(`${argv.join(" ")} ended with ${child.signalCode ?? code}\n${said.trim()}`)
}
