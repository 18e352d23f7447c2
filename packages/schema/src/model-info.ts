/** A model as a list shows it: what it takes, what it costs, and whether it could be called as things are. */
export interface ModelInfo {
  /** `provider/model` */
  readonly ref: string
  readonly name: string
  /** Tokens; absent when nobody told us. */
  readonly context?: number
  readonly output?: number
  /** Dollars a million tokens; absent when not known. */
  readonly price?: { readonly input: number; readonly output: number }
  /** It can call tools. */
  readonly tools: boolean
  /** Names that `--variant` takes; absent when there are none, or the model cannot be called as things are. */
  readonly variants?: readonly string[]
  readonly source: "config" | "catalogue" | "demo"
  readonly key: "present" | "not needed" | "missing" | "unknown"
  /** Where the key comes from: `env:ANTHROPIC_API_KEY`, `config`, `auth`. */
  readonly keySource?: string
  /** What is to be mended before it can be called. */
  readonly problem?: string
}

/** `ready`: what a key is present for, what the config declares, and the scripted model. */
export type ModelScope = "ready" | "all"
