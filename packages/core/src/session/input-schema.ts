import { OutputFormat } from "@cairn/schema/message"
import { ModelRef } from "@cairn/schema/model"
import { Delivery, PromptPart } from "@cairn/schema/prompt"
import { z } from "zod"

/** A prompt as `Engine.prompt` takes it. */
export const promptInput = z.object({
  sessionID: z.string(),
  parts: z.array(PromptPart),
  model: ModelRef.exactOptional(),
  variant: z.string().exactOptional(),
  agent: z.string().exactOptional(),
  delivery: Delivery.exactOptional(),
  asks: z.enum(["wait", "deny", "auto"]).exactOptional(),
  tools: z.record(z.string(), z.boolean()).exactOptional(),
  system: z.string().exactOptional(),
  format: OutputFormat.exactOptional(),
  noReply: z.boolean().exactOptional(),
  messageID: z.string().exactOptional(),
})
