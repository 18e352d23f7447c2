import { answerBytes, createExporter } from "./exporter.ts"
import { otlpSettings } from "./settings.ts"
import { createSpans } from "./spans.ts"
import { noTracing, type Tracing, type TracingOptions } from "./tracing.ts"

/** Tracing to the collector that the environment names; none, and a warning, when that cannot be. */
export function otlpTracing({ env, net, clock, log, version }: TracingOptions): Tracing {
  const settings = otlpSettings(env, version)
  if (!settings.ok) {
    log.warn("no traces are sent", { why: settings.error })
    return { ...noTracing, warnings: [`no traces are sent: ${settings.error}`] }
  }
  const { url, headers, resource, problems } = settings.value
  if (problems.length > 0) log.warn("variables of the tracing are only partly understood", { problems })
  const send = net.client({ origin: url.origin, maxBytes: answerBytes })
  const exporter = createExporter({ url, headers, resource, version, send, clock, log })
  const spans = createSpans(clock, (span) => exporter.add(span))
  return {
    tracer: spans,
    warnings: problems.map((problem) => `of the tracing, ${problem}`),
    async close() {
      spans.endAll()
      await exporter.close()
    },
  }
}
