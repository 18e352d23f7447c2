import { z } from "zod"

/** Texts by path. Not a `z.record`: that copies, and leaves out a file with the name `__proto__`. */
export const Texts = z.custom<Record<string, string>>(isTexts, "expected an object of texts by path")

function isTexts(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return Object.values(value).every((text) => typeof text === "string")
}
