import type { OperationID } from "@cairn/schema/operation/all"
import { globalRoutes } from "./route/global.ts"
import { permissionRoutes } from "./route/permission.ts"
import { sessionRoutes } from "./route/session.ts"
import type { Routes } from "./route.ts"

/** Every route, by the id of its operation. One that is missing does not compile. */
export const routes: Routes<OperationID> = {
  ...globalRoutes,
  ...sessionRoutes,
  ...permissionRoutes,
}
