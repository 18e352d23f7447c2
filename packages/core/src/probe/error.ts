import { z } from "zod"
import { classifyData } from "../model/errors.ts"
import { defineProbe } from "./define.ts"

/** How a failed model call is understood: `{class, retryAfterMs?}`. */
export const errorProbe = defineProbe({
  request: z.object({
    providerID: z.string(),
    status: z.number().int().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.string().optional(),
    code: z.string().optional(),
    message: z.string().optional(),
  }),
  answer({ providerID, ...given }) {
    const data = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const { class: kind, retryAfterMs } = classifyData({ providerID, ...data })
    return { class: kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  },
})
