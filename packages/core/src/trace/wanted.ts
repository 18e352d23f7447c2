export type Env = Readonly<Record<string, string | undefined>>

/** A variable's text; undefined when it is not set, or empty, which means the same. */
export const variable = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined

/** Does the user want traces? All there is to ask before anything of the tracing is loaded. */
export function wantsTraces(env: Env): boolean {
  const endpoint = variable(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT")
  if (endpoint === undefined || variable(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return false
  const exporters = variable(env, "OTEL_TRACES_EXPORTER")
  return exporters === undefined || exporters.split(",").some((name) => name.trim() === "otlp")
}
