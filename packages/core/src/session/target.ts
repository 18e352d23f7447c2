import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider"

export type UserContent = LanguageModelV4TextPart | LanguageModelV4FilePart

/** The model that a history is prepared for. Signatures of another model's reasoning are of no use to it. */
export interface Target {
  readonly providerID: string
  readonly modelID: string
  /** Media that the model takes, e.g. `image/png`. */
  accepts(mime: string): boolean
  /** Ids of calls that its protocol takes; absent when it takes any. */
  readonly callIDs?: RegExp
  /** Why files are left out that it would take. */
  readonly withoutFiles?: string
}
