import { z } from "zod"

const named = <N extends string, D extends z.ZodType>(name: N, data: D) => z.object({ name: z.literal(name), data })

export const ApiError = named(
  "APIError",
  z.object({
    message: z.string(),
    statusCode: z.number().int().optional(),
    isRetryable: z.boolean(),
    responseHeaders: z.record(z.string(), z.string()).optional(),
    responseBody: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
)
export type ApiError = z.infer<typeof ApiError>

/** What can stand in `AssistantMessage.error` and in `session.error`. Names and fields are the original's. */
export const MessageError = z.discriminatedUnion("name", [
  named("ProviderAuthError", z.object({ providerID: z.string(), message: z.string() })),
  named("UnknownError", z.object({ message: z.string(), ref: z.string().optional() })),
  named("MessageOutputLengthError", z.object({}).loose()),
  named("MessageAbortedError", z.object({ message: z.string() })),
  named("StructuredOutputError", z.object({ message: z.string(), retries: z.number().int() })),
  named("ContextOverflowError", z.object({ message: z.string(), responseBody: z.string().optional() })),
  named("ContentFilterError", z.object({ message: z.string() })),
  ApiError,
])
export type MessageError = z.infer<typeof MessageError>

/** How a model call failed, decided by one classifier from data. */
export const ErrorClass = z.enum(["retryable", "rate_limit", "overflow", "auth", "fatal", "content_filter", "aborted"])
export type ErrorClass = z.infer<typeof ErrorClass>

/** Why a tool refused. `kind` is stable and for programs; `message` tells the model how to repair the call. */
export const ToolFailureKind = z.enum([
  "not_found",
  "ambiguous",
  "identical",
  "refused",
  "binary",
  "changed",
  "parse",
  "context",
  "exists",
  "missing",
  "directory",
  "outside",
  "conflict",
  "invalid_arguments",
  "unknown_tool",
  "denied",
  "rejected",
  "timeout",
  "io",
  "interrupted",
  "defect",
])
export type ToolFailureKind = z.infer<typeof ToolFailureKind>
export const ToolFailure = z.object({ kind: ToolFailureKind, message: z.string() })
export type ToolFailure = z.infer<typeof ToolFailure>

/** Something to be mended before a model is called (exit 2): what is wrong, where, what to do. */
export type SetupError = {
  readonly kind:
    | "usage"
    | "config"
    | "model"
    | "key"
    | "data_directory"
    | "session"
    | "busy"
    | "inbox"
    | "file"
    | "directory"
  readonly message: string
}
