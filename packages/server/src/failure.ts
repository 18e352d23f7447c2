import type { SetupError } from "@cairn/schema/error"
import type { FailureBody, FailureName } from "@cairn/schema/operation/failure"

export type FailureStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 501 | 503

/** An answer that is no success. It never holds a stack, and no word of what the caller may not know. */
export interface Failure {
  readonly status: FailureStatus
  readonly body: FailureBody
  readonly headers?: Readonly<Record<string, string>>
}

const statusOf: Record<FailureName, FailureStatus> = {
  BadRequest: 400,
  UnauthorizedError: 401,
  ForbiddenError: 403,
  NotFoundError: 404,
  ConflictError: 409,
  SessionBusyError: 409,
  PayloadTooLargeError: 413,
  UnsupportedMediaTypeError: 415,
  TooManyRequestsError: 429,
  UnknownError: 500,
  NotImplementedError: 501,
  UnavailableError: 503,
}

type More = Omit<FailureBody["data"], "message">

export function failure(name: FailureName, message: string, more: More = {}): Failure {
  return { status: statusOf[name], body: { name, data: { message, ...more } } }
}

export const notFound = (message: string): Failure => failure("NotFoundError", message)

const nameOf: Record<SetupError["kind"], FailureName> = {
  usage: "BadRequest",
  config: "BadRequest",
  model: "BadRequest",
  key: "BadRequest",
  file: "BadRequest",
  directory: "BadRequest",
  session: "NotFoundError",
  inbox: "NotFoundError",
  busy: "SessionBusyError",
  data_directory: "UnknownError",
}

/** What the engine wants to be mended first, as an answer. */
export const failureOf = ({ kind, message }: SetupError): Failure => failure(nameOf[kind], message)
