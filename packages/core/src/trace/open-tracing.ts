import { noTracing, type Tracing, type TracingOptions } from "./tracing.ts"
import { wantsTraces } from "./wanted.ts"

/** Traces where the environment asks for them; otherwise nothing is loaded and nothing is sent. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (!wantsTraces(options.env)) return noTracing
  return (await import("./otlp.ts")).otlpTracing(options)
}
