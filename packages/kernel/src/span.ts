/**
 * What may be said of a piece of work: names, kinds and numbers. Never what a user, a model or a tool wrote, never an
 * argument, a path or a secret: it may leave the machine.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Makes spans. Handed on to whoever does the work, never kept in a global place. */
export interface Tracer {
  /** Begins a piece of work: a part of this one, or a tree of its own. */
  span(name: string, attributes?: SpanAttributes): Span
}

/**
 * A piece of work while it is done. It ends exactly once, by `end` or by leaving the scope of `using`; what comes later is
 * dropped. Nothing here throws or waits.
 */
export interface Span extends Tracer, Disposable {
  set(attributes: SpanAttributes): void
  /** It did not come to what it was for. `kind` is a word for programs: `denied`, `rate_limit`, `529`. */
  fail(kind: string): void
  end(): void
}

/** Nobody traces. */
export const noSpan: Span = {
  span: () => noSpan,
  set: () => {},
  fail: () => {},
  end: () => {},
  [Symbol.dispose]: () => {},
}
