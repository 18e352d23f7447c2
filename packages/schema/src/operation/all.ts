import { appOperations } from "./app.ts"
import { configOperations } from "./config.ts"
import type { Operation } from "./define.ts"
import { editOperations } from "./edit.ts"
import { fileOperations } from "./file.ts"
import { eventOperations } from "./event.ts"
import { globalOperations } from "./global.ts"
import { inboxOperations } from "./inbox.ts"
import { integrationOperations } from "./integration.ts"
import { permissionOperations } from "./permission.ts"
import { projectOperations } from "./project.ts"
import { questionOperations } from "./question.ts"
import { searchOperations } from "./search.ts"
import { sessionOperations } from "./session.ts"
import { tuiOperations } from "./tui.ts"
import { undoOperations } from "./undo.ts"

/** The table: every operation that the server answers, by its id. What is not here does not exist. */
export const operations = {
  ...globalOperations,
  ...sessionOperations,
  ...editOperations,
  ...undoOperations,
  ...inboxOperations,
  ...searchOperations,
  ...permissionOperations,
  ...questionOperations,
  ...appOperations,
  ...configOperations,
  ...projectOperations,
  ...fileOperations,
  ...integrationOperations,
  ...eventOperations,
  ...tuiOperations,
}
export type Operations = typeof operations
export type OperationID = keyof Operations

/** The rows of the table, in its order. */
export const allOperations = (): readonly Operation<OperationID>[] => Object.values(operations)
