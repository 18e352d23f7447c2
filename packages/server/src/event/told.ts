import type { WireEvent } from "@cairn/schema/wire-event"

/** Where something happens. */
export interface Place {
  readonly directory: string
  readonly project?: string
}

/** `local`: as `GET /event` has it. `global`: as `GET /global/event` has it, in an envelope that says where. */
export type Form = "local" | "global"

/** Who is told: those who listen to a place, and to all; only those who listen to all; or everybody, since it is about the server. */
export type Audience = Place | "global" | "everybody"

interface ToldMore {
  readonly to?: Audience
  /** With this event a client has everything up to this number of the log, and `cursor` is what it can go on from. */
  readonly seq?: number
  readonly cursor?: string
}

/** An event on its way to clients, written down once for all of them. */
export class Told {
  readonly to: Audience
  readonly seq: number | undefined
  readonly #cursor: string | undefined
  readonly #frames: { [F in Form]?: string } = {}
  #json: string | undefined

  constructor(
    readonly event: WireEvent,
    { to = "everybody", seq, cursor }: ToldMore = {},
  ) {
    this.to = to
    this.seq = seq
    this.#cursor = cursor
  }

  /** Whether it is for those who listen to a directory; undefined: to all. */
  isFor(directory: string | undefined): boolean {
    if (directory === undefined || this.to === "everybody") return true
    return this.to !== "global" && this.to.directory === directory
  }

  /** As server-sent event. */
  frame(form: Form): string {
    return (this.#frames[form] ??= this.#write(form))
  }

  #write(form: Form): string {
    this.#json ??= jsonOf(this.event)
    const json = form === "local" ? this.#json : `{${placeText(this.to)}"payload":${this.#json}}`
    const line = this.#cursor === undefined ? "" : `id: ${this.#cursor}\n`
    return `${line}data: ${json}\n\n`
  }
}

/** Only what the wire names: an event of the bus has its number too. */
const jsonOf = ({ id, type, properties }: WireEvent): string => JSON.stringify({ id, type, properties })

function placeText(place: Audience): string {
  if (typeof place === "string") return ""
  const project = place.project === undefined ? "" : `"project":${JSON.stringify(place.project)},`
  return `"directory":${JSON.stringify(place.directory)},${project}`
}
