import type { OperationID } from "@cairn/schema/operation/all"
import { appRoutes } from "./route/app.ts"
import { configRoutes } from "./route/config.ts"
import { editRoutes } from "./route/edit.ts"
import { fileRoutes } from "./route/file.ts"
import { eventRoutes } from "./route/event.ts"
import { globalRoutes } from "./route/global.ts"
import { inboxRoutes } from "./route/inbox.ts"
import { integrationRoutes } from "./route/integration.ts"
import { permissionRoutes } from "./route/permission.ts"
import { projectRoutes } from "./route/project.ts"
import { questionRoutes } from "./route/question.ts"
import { searchRoutes } from "./route/search.ts"
import { sessionRoutes } from "./route/session.ts"
import { tuiRoutes } from "./route/tui.ts"
import { undoRoutes } from "./route/undo.ts"
import type { Routes } from "./route.ts"

/** Every route, by the id of its operation. One that is missing does not compile. */
export const routes: Routes<OperationID> = {
  ...globalRoutes,
  ...sessionRoutes,
  ...editRoutes,
  ...undoRoutes,
  ...inboxRoutes,
  ...searchRoutes,
  ...permissionRoutes,
  ...questionRoutes,
  ...appRoutes,
  ...configRoutes,
  ...projectRoutes,
  ...fileRoutes,
  ...integrationRoutes,
  ...eventRoutes,
  ...tuiRoutes,
}
