import { err, ok } from "@cairn/kernel/result"
import { notFound } from "../failure.ts"
import type { Routes } from "../route.ts"

type ProjectRoute = "project.list" | "project.current" | "project.update" | "project.directories"

export const projectRoutes: Routes<ProjectRoute> = {
  "project.list": ({ engine }) => ok(engine.projects()),
  "project.current": async ({ engine }) => ok(await engine.project()),
  "project.update": ({ engine, params, body }) => {
    const changed = engine.updateProject(params.projectID, body)
    return changed ? ok(changed) : err(notFound(`There is no project ${params.projectID}.`))
  },
  "project.directories": ({ engine, params }) =>
    ok(engine.projectDirectories(params.projectID).map((directory) => ({ directory }))),
}
