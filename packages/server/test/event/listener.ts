import type { GlobalWireEvent, WireEvent } from "@cairn/schema/wire-event"
import type { EventHub } from "../../src/event/hub.ts"

/** One server-sent event as it was read. */
export interface Heard {
  readonly cursor: string | undefined
  readonly event: WireEvent
  /** The envelope of `GET /global/event`. */
  readonly directory: string | undefined
  readonly project: string | undefined
}

/** A client of the streams, reading as fast as it is given. */
export interface Listener {
  readonly heard: readonly Heard[]
  /** The last `id:`. */
  readonly cursor: string | undefined
  readonly types: readonly string[]
  /** The stream has ended by itself. */
  readonly over: boolean
  /** Reads no more, as a client that hangs. */
  pause(): void
  resume(): void
  leave(): Promise<void>
}

/** Takes a text of server-sent events apart, whatever pieces it comes in. */
export function createParser(): (text: string) => Heard[] {
  let rest = ""
  return (text) => {
    const blocks = `${rest}${text}`.split("\n\n")
    rest = blocks.pop() ?? ""
    return blocks.flatMap((block) => {
      const fields = new Map(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      )
      const data = fields.get("data")
      if (data === undefined) return []
      const value = JSON.parse(data) as WireEvent | GlobalWireEvent
      const inside = "payload" in value ? value : { payload: value, directory: undefined, project: undefined }
      const { payload, directory, project } = inside
      return [{ cursor: fields.get("id"), event: payload as WireEvent, directory, project }]
    })
  }
}

export function listen(stream: ReadableStream<Uint8Array>, hear: (heard: Heard) => void = () => undefined): Listener {
  const heard: Heard[] = []
  const reader = stream.getReader()
  const parse = createParser()
  const decoder = new TextDecoder()
  let over = false
  let paused: PromiseWithResolvers<void> | undefined
  const pump = async () => {
    for (;;) {
      await paused?.promise
      const { done, value } = await reader.read()
      if (done) break
      for (const one of parse(decoder.decode(value, { stream: true }))) {
        heard.push(one)
        hear(one)
      }
    }
    over = true
  }
  void pump()
  return {
    heard,
    get cursor() {
      return heard.findLast(({ cursor }) => cursor !== undefined)?.cursor
    },
    get types() {
      return heard.map(({ event }) => event.type)
    },
    get over() {
      return over
    },
    pause: () => void (paused ??= Promise.withResolvers<void>()),
    resume() {
      paused?.resolve()
      paused = undefined
    },
    leave: () => reader.cancel(),
  }
}

/** Opens a stream of the hub that must open. */
export function connect(
  hub: EventHub,
  wanted: { directory?: string | undefined; after?: string | undefined } = {},
  hear?: (heard: Heard) => void,
): Listener {
  const opened = hub.open({ ...wanted, ended: () => undefined })
  if (!opened.ok) throw new Error(opened.error.body.data.message)
  return listen(opened.value, hear)
}

/** Everything that can arrive has arrived. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}
