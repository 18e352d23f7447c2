import type { Operation } from "./define.ts"
import { globalOperations } from "./global.ts"
import { permissionOperations } from "./permission.ts"
import { sessionOperations } from "./session.ts"

/** The table: every operation that the server answers, by its id. What is not here does not exist. */
export const operations = {
  ...globalOperations,
  ...sessionOperations,
  ...permissionOperations,
}
export type Operations = typeof operations
export type OperationID = keyof Operations

/** The rows of the table, in its order. */
export const allOperations = (): readonly Operation<OperationID>[] => Object.values(operations)
