import { z } from "zod"
import { ProjectChange, ProjectInfo } from "../project.ts"
import { operationGroup } from "./define.ts"

const params = z.object({ projectID: z.string() })

export const projectOperations = operationGroup({
  "project.list": {
    method: "GET",
    path: "/project",
    summary: "Every project that is known, the one used last first",
    response: z.array(ProjectInfo),
    reach: "directory",
    changes: false,
  },
  "project.current": {
    method: "GET",
    path: "/project/current",
    summary: "The project of the directory",
    response: ProjectInfo,
    reach: "directory",
    changes: false,
  },
  "project.update": {
    method: "PATCH",
    path: "/project/{projectID}",
    summary: "Changes the name, the icon or the commands of a project",
    params,
    body: ProjectChange,
    response: ProjectInfo,
    reach: "directory",
    changes: true,
    errors: [404],
  },
  "project.directories": {
    method: "GET",
    path: "/project/{projectID}/directories",
    summary: "Directories in which sessions of the project worked",
    params,
    response: z.array(z.object({ directory: z.string(), strategy: z.string().optional() })),
    reach: "directory",
    changes: false,
  },
})
