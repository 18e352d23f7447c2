/** Reading JSON of unknown shape: what is not there is empty. */
export type Json = Record<string, unknown>
export const record = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const name = (value: unknown): string => (typeof value === "string" ? value : "")
export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)
