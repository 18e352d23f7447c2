import { z } from "zod"

/** Names that an error body may have; the ones of the original, where it has one for the case. */
export const FailureName = z.enum([
  "BadRequest",
  "UnauthorizedError",
  "ForbiddenError",
  "NotFoundError",
  "ConflictError",
  "SessionBusyError",
  "PayloadTooLargeError",
  "UnsupportedMediaTypeError",
  "TooManyRequestsError",
  "UnknownError",
  "NotImplementedError",
  "UnavailableError",
])
export type FailureName = z.infer<typeof FailureName>

/** The body of every answer that is no success. `kind` says what of a bad request was wrong, as in the original. */
export const FailureBody = z.object({
  name: FailureName,
  data: z.object({
    message: z.string(),
    kind: z.enum(["Params", "Headers", "Query", "Body", "Payload"]).optional(),
    sessionID: z.string().optional(),
  }),
})
export type FailureBody = z.infer<typeof FailureBody>
