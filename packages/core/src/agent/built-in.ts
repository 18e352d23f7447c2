import type { PermissionAction, PermissionRuleset } from "@cairn/schema/permission"
import { lookOnly } from "../permission/look-only.ts"
import type { Agent } from "./define.ts"
import compaction from "./compaction.md" with { type: "text" }
import explore from "./explore.md" with { type: "text" }
import general from "./general.md" with { type: "text" }
import plan from "./plan.md" with { type: "text" }
import summary from "./summary.md" with { type: "text" }
import title from "./title.md" with { type: "text" }

/** An agent as the engine brings it, before config is laid upon it. `permission` is what it adds to the defaults. */
export type BuiltIn = Pick<Agent, "name" | "description" | "mode" | "prompt" | "reminder" | "temperature"> &
  Partial<Pick<Agent, "hidden" | "readOnly">> & { readonly permission: PermissionRuleset }

const rules = (action: PermissionAction, permission: string, ...patterns: string[]): PermissionRuleset =>
  (patterns.length > 0 ? patterns : ["*"]).map((pattern) => ({ permission, pattern, action }))

const plansOnly: PermissionRuleset = ["edit"].flatMap((key) => [
  ...rules("deny", key),
  ...rules("allow", key, ".cairn/plans/*.md", ".opencode/plans/*.md"),
  ...rules("deny", key, ".cairn/plans/*/*", ".opencode/plans/*/*"),
])

const nothing = rules("deny", "*")

export const builtInAgents: readonly BuiltIn[] = [
  {
    name: "build",
    description: "Does the work: reads, edits, runs commands.",
    mode: "primary",
    permission: [...rules("allow", "question"), ...rules("allow", "plan_enter")],
  },
  {
    name: "plan",
    description: "Reads and plans; changes nothing but plan files.",
    mode: "primary",
    readOnly: true,
    reminder: plan.trim(),
    permission: [
      ...rules("allow", "question"),
      ...rules("allow", "plan_exit"),
      ...rules("deny", "task", "general"),
      ...plansOnly,
      ...lookOnly,
    ],
  },
  {
    name: "general",
    description: "Does a task of several steps that another agent hands over, several side by side where that helps.",
    mode: "subagent",
    prompt: general.trim(),
    permission: rules("deny", "todowrite"),
  },
  {
    name: "explore",
    description:
      "Finds its way in a codebase: files by name, code by content, how things work. Say how thorough it should be: quick, medium or thorough.",
    mode: "subagent",
    readOnly: true,
    prompt: explore.trim(),
    permission: [
      ...nothing,
      ...["read", "glob", "grep", "list", "webfetch", "websearch"].flatMap((key) => rules("allow", key)),
      ...rules("ask", "read", "*.env", "*.env.*"),
      ...rules("allow", "read", "*.env.example"),
      ...lookOnly,
    ],
  },
  { name: "compaction", mode: "primary", hidden: true, readOnly: true, prompt: compaction.trim(), permission: nothing },
  {
    name: "title",
    mode: "primary",
    hidden: true,
    readOnly: true,
    temperature: 0.5,
    prompt: title.trim(),
    permission: nothing,
  },
  { name: "summary", mode: "primary", hidden: true, readOnly: true, prompt: summary.trim(), permission: nothing },
]
