import { z } from "zod"
import { Agent } from "../agent.ts"
import { Command } from "../command.ts"
import { operationGroup } from "./define.ts"

/** Where things are, as the original tells it, and ours beside it. */
export const PathInfo = z.object({
  home: z.string(),
  state: z.string(),
  config: z.string(),
  data: z.string(),
  cache: z.string(),
  worktree: z.string(),
  directory: z.string(),
})

const Skill = z.object({
  name: z.string(),
  description: z.string().optional(),
  location: z.string(),
  content: z.string(),
})

/** What a directory has: agents, commands, places. */
export const appOperations = operationGroup({
  "app.agents": {
    method: "GET",
    path: "/agent",
    summary: "Every agent; hidden ones work in the background",
    response: z.array(Agent),
    reach: "directory",
    changes: false,
  },
  "app.skills": {
    method: "GET",
    path: "/skill",
    summary: "Skills of the directory",
    response: z.array(Skill),
    reach: "directory",
    changes: false,
  },
  "command.list": {
    method: "GET",
    path: "/command",
    summary: "Commands: prompts with a name and places for arguments",
    response: z.array(Command),
    reach: "directory",
    changes: false,
  },
  "path.get": {
    method: "GET",
    path: "/path",
    summary: "Where things are",
    response: PathInfo,
    reach: "directory",
    changes: false,
  },
  "instance.dispose": {
    method: "POST",
    path: "/instance/dispose",
    summary: "Closes what the server keeps of the directory, and interrupts what runs there; the next call begins anew",
    response: z.boolean(),
    reach: "directory",
    changes: true,
    long: true,
  },
})
