import type { PermissionApproval } from "@cairn/schema/permission"
import type { Command, Input } from "../argv/define.ts"
import { formatFlag, givenInFlag, forProjectFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { table } from "../render/table.ts"
import { setupError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { lookOf } from "../terminal/look.ts"

export const permissionListCommand: Command = {
  name: "permission list",
  summary: "List what was approved for good in this project",
  doc:
    "What somebody answered with `always`: the id, where it holds (in one session, or in the whole project), the" +
    " permission and its patterns. It turns what a rule would ask into a yes, and never lifts a deny; rules stand in the" +
    " config. As json: id, sessionID, scope, permission and patterns of each.",
  examples: ["cairn permission list", "cairn permission list --project --format json | jq -r '.[].id'"],
  flags: [forProjectFlag, givenInFlag, formatFlag],
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const sessionID = input.get(givenInFlag)
  const project = input.get(forProjectFlag) ?? false
  return withEngine(io, async (engine) => {
    if (sessionID !== undefined && !engine.session(sessionID)) return setupError(io, unknownSession(sessionID))
    const approvals = await engine.approvals({
      ...(project && { scope: "project" as const }),
      ...(sessionID !== undefined && { sessionID }),
    })
    if (input.get(formatFlag) === "json") io.stdout.write(`${JSON.stringify(approvals, undefined, 2)}\n`)
    else if (approvals.length === 0) io.stderr.write("Nothing is approved for good here.\n")
    else io.stdout.write(`${table(approvals.map(row), lookOf(io.stdout, io.env), 3).join("\n")}\n`)
    return 0
  })
}

const row = ({ id, scope, sessionID, permission, patterns }: PermissionApproval): string[] => [
  id,
  scope === "project" ? "project" : sessionID,
  permission,
  patterns.join(", "),
]
