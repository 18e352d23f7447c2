import type { Clock } from "@cairn/kernel/clock"
import { Deadline, DeadlineExceeded } from "@cairn/kernel/deadline"
import { err, ok, type Result } from "@cairn/kernel/result"
import { abortable } from "@cairn/kernel/task"
import { NetError } from "./error.ts"

/** Opens a socket; the part of `Bun.connect` that a probe needs. */
export type Connect = (address: { host: string; port: number }) => Promise<{ end(): void }>

const openSocket: Connect = async ({ host, port }) => {
  const socket = await Bun.connect({ hostname: host, port, socket: { data() {} } })
  return { end: () => void socket.end() }
}

/**
 * Opens a TCP connection to `host:port` and closes it at once: refused, unknown host, or silent for `ms`
 * is an error. Interruption rejects with the signal's reason; a connection that opens later is closed.
 */
export async function probe(
  address: { host: string; port: number },
  { clock, ms, signal, connect = openSocket }: { clock: Clock; ms: number; signal: AbortSignal; connect?: Connect },
): Promise<Result<void, NetError>> {
  using deadline = new Deadline(clock, "connecting", ms, signal)
  const name = `${address.host}:${address.port}`
  const opened = connect(address).then((socket) => socket.end())
  try {
    await abortable(opened, deadline.signal)
    return ok(undefined)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof DeadlineExceeded) return err(new NetError("probe_silent", `${name} does not answer`))
    const unknown = codeOf(error) === "ENOTFOUND"
    return err(
      unknown
        ? new NetError("probe_unknown_host", `the host ${address.host} is not known`)
        : new NetError("probe_refused", `${name} refuses the connection`),
    )
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined
}
