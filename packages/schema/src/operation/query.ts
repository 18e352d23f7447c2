import { z } from "zod"

/** A whole number from 0 that a query says as text. */
export const count = z.coerce.number<number | string>().int().min(0)

/** How many items a page may have at most, whatever was asked for. */
export const longestPage = 1_000

/** Milliseconds since the epoch, as text. */
export const time = z.coerce.number<number | string>()

/** `true` or `false`, as text or not. */
export const flag = z
  .union([z.boolean(), z.enum(["true", "false"])])
  .transform((value) => value === true || value === "true")

/** A place in a list, as `X-Next-Cursor` of the page before gave it. */
export const cursor = z.string().max(1_000)
