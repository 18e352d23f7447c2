import { z } from "zod"

/** How a provider is reached, as `auth.json` keeps it. The original's shapes. */
export const Auth = z.discriminatedUnion("type", [
  z.object({ type: z.literal("api"), key: z.string().min(1), metadata: z.record(z.string(), z.string()).optional() }),
  z.object({
    type: z.literal("oauth"),
    refresh: z.string(),
    access: z.string(),
    expires: z.number().int().nonnegative(),
    accountId: z.string().optional(),
    enterpriseUrl: z.string().optional(),
  }),
  z.object({ type: z.literal("wellknown"), key: z.string(), token: z.string() }),
])
export type Auth = z.infer<typeof Auth>
