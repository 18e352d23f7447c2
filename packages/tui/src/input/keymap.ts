import type { Clock } from "@cairn/kernel/clock"
import { leader, type Sequence, type Stroke } from "./key.ts"

/** Who gets a key first, innermost first. A layer consumes a key or passes it on. */
export const layers = ["dialog", "popup", "vim", "prompt", "transcript", "global"] as const
export type Layer = (typeof layers)[number]

/** Keys of a command in a layer. */
export interface Binding {
  readonly command: string
  readonly layer: Layer
  readonly sequences: readonly Sequence[]
}

/** What a key did. `pass`: nobody wants it, so it is the focused widget's. */
export type Pressed =
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "pending"; readonly next: readonly Continuation[] }
  | { readonly kind: "unknown" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "pass" }

/** A stroke that goes on with what was pressed, for the strip that shows them. */
export interface Continuation {
  readonly stroke: Stroke
  readonly command: string
  /** More strokes follow. */
  readonly more: boolean
}

export interface KeymapOptions {
  readonly leader: Stroke
  /** Milliseconds after which what was begun is forgotten. */
  readonly timeout: number
  readonly clock: Clock
  /** Called when it was. */
  readonly onTimeout: () => void
}

export interface Focus {
  /** Layers that are on the screen, innermost first. */
  readonly layers: readonly Layer[]
  /** Whether a command may run now: one that may not has no key. */
  may(command: string): boolean
}

interface Candidate {
  readonly binding: Binding
  readonly sequence: Sequence
}

/**
 * Keys to commands. A sequence that was begun owns the next key, whatever has the focus:
 *
 *     idle ──first key of a sequence──▶ begun ──its last key──▶ run, idle
 *                                         │
 *                                         ├──escape──▶ cancelled, idle
 *                                         ├──another key──▶ unknown (swallowed), idle
 *                                         └──timeout──▶ idle
 */
export class Keymap {
  readonly #options: KeymapOptions
  #bindings: readonly Binding[]
  #begun: Stroke[] = []
  #cancelTimer = () => {}

  constructor(bindings: readonly Binding[], options: KeymapOptions) {
    this.#options = options
    this.#bindings = resolved(bindings, options.leader)
  }

  /** Whether the next key belongs to a sequence that was begun. */
  get isBegun(): boolean {
    return this.#begun.length > 0
  }

  /** Other bindings from now on; what was begun is forgotten. */
  replace(bindings: readonly Binding[]): void {
    this.forget()
    this.#bindings = resolved(bindings, this.#options.leader)
  }

  press(stroke: Stroke, focus: Focus): Pressed {
    const begun = this.#begun
    this.forget()
    if (begun.length > 0 && stroke === "escape") return { kind: "cancelled" }
    const pressed = [...begun, stroke]
    for (const layer of focus.layers) {
      const found = this.#candidates(layer, pressed, focus)
      const whole = found.find(({ sequence }) => sequence.length === pressed.length)
      const longer = found.filter(({ sequence }) => sequence.length > pressed.length)
      if (whole !== undefined && longer.length === 0) return { kind: "run", command: whole.binding.command }
      if (longer.length > 0) return this.#begin(pressed, focus)
    }
    return begun.length > 0 ? { kind: "unknown" } : { kind: "pass" }
  }

  /** Forgets what was begun. */
  forget(): void {
    this.#cancelTimer()
    this.#begun = []
  }

  /** Every layer may go on with it. */
  #begin(pressed: Stroke[], focus: Focus): Pressed {
    this.#begun = pressed
    this.#cancelTimer = this.#options.clock.timer(this.#options.timeout, () => {
      this.#begun = []
      this.#options.onTimeout()
    })
    const next = new Map<Stroke, Continuation>()
    for (const layer of focus.layers) {
      for (const { binding, sequence } of this.#candidates(layer, pressed, focus)) {
        const stroke = sequence[pressed.length]
        if (stroke === undefined || next.has(stroke)) continue
        next.set(stroke, { stroke, command: binding.command, more: sequence.length > pressed.length + 1 })
      }
    }
    return { kind: "pending", next: [...next.values()] }
  }

  #candidates(layer: Layer, pressed: readonly Stroke[], focus: Focus): Candidate[] {
    return this.#bindings
      .filter((binding) => binding.layer === layer)
      .flatMap((binding) => {
        const begins = binding.sequences.filter((sequence) => pressed.every((stroke, at) => sequence[at] === stroke))
        return begins.length > 0 && focus.may(binding.command) ? begins.map((sequence) => ({ binding, sequence })) : []
      })
  }
}

function resolved(bindings: readonly Binding[], leaderIs: Stroke): Binding[] {
  return bindings.map((binding) => ({
    ...binding,
    sequences: binding.sequences.map((sequence) => sequence.map((stroke) => (stroke === leader ? leaderIs : stroke))),
  }))
}
