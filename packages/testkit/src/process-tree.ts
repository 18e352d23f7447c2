import { readFileSync, readdirSync } from "node:fs"

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  /** One letter as in ps; `Z` has ended and was not reaped. */
  readonly state: string
}

/** Live descendants of a process, zombies left out. Linux only: reads /proc. */
export function descendants(pid: number): number[] {
  const rows = table()
  const found = new Set<number>([pid])
  for (let grown = true; grown;) {
    const children = rows.filter((row) => found.has(row.parent) && !found.has(row.pid))
    for (const child of children) found.add(child.pid)
    grown = children.length > 0
  }
  found.delete(pid)
  return rows.filter((row) => found.has(row.pid) && row.state !== "Z").map((row) => row.pid)
}

/**
 * Live processes whose command line or environment holds `token`, this one left out. Finds orphans too, which
 * have left the tree: put a unique token into the command or its environment.
 */
export function processesWith(token: string): number[] {
  const wanted = (pid: number) => proc(pid, "cmdline").includes(token) || proc(pid, "environ").includes(token)
  return table()
    .filter((row) => row.pid !== process.pid && row.state !== "Z" && wanted(row.pid))
    .map((row) => row.pid)
}

/** True while the process runs; an ended one that nobody reaped does not count. */
export function isAlive(pid: number): boolean {
  const row = parse(pid)
  return row !== undefined && row.state !== "Z"
}

/** Waits until all have ended, at most `ms`; gives those that still live. */
export async function stillAlive(pids: readonly number[], ms = 2_000): Promise<number[]> {
  const end = performance.now() + ms
  while (pids.some(isAlive) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5))
  return pids.filter(isAlive)
}

function table(): ProcessRow[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => parse(Number(name)))
    .filter((row) => row !== undefined)
}

/** The command in `stat` stands in brackets and may hold anything: what counts begins after the last one. */
function parse(pid: number): ProcessRow | undefined {
  const text = proc(pid, "stat")
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return state && parent ? { pid, parent: Number(parent), state } : undefined
}

/** Empty when the process is gone or belongs to somebody else. */
function proc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return ""
  }
}
