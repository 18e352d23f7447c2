import { describe, expect, test } from "bun:test"
import { commands } from "./command/all.ts"
import type { Flag } from "./argv/define.ts"
import * as flags from "./flag.ts"

const accepted: [Flag, string, unknown][] = [
  [flags.modelFlag, "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
  [flags.modelFlag, "openrouter/meta/llama:free", "openrouter/meta/llama:free"],
  [flags.variantFlag, "high", "high"],
  [flags.agentFlag, "plan", "plan"],
  [flags.sessionFlag, "ses_0123abcXYZ", "ses_0123abcXYZ"],
  [flags.continueFlag, "true", true],
  [flags.forkFlag, "true", true],
  [flags.atFlag, "msg_0123abcXYZ", "msg_0123abcXYZ"],
  [flags.formatFlag, "text", "text"],
  [flags.formatFlag, "json", "json"],
  [flags.fileFlag, "-", "-"],
  [flags.fileFlag, "a b.ts", "a b.ts"],
  [flags.autoFlag, "true", true],
  [flags.autoFlag, "false", false],
  [flags.budgetFlag, "0.50", { money: 0.5 }],
  [flags.budgetFlag, "3", { money: 3 }],
  [flags.budgetFlag, ".05", { money: 0.05 }],
  [flags.budgetFlag, "20000tokens", { tokens: 20_000 }],
  [flags.daysFlag, "1", 1],
  [flags.daysFlag, "36500", 36_500],
  [flags.daysFlag, "all", "all"],
  [flags.projectFlag, "here", "here"],
  [flags.projectFlag, "../other", "../other"],
  [flags.forProjectFlag, "true", true],
  [flags.givenInFlag, "ses_0123abcXYZ", "ses_0123abcXYZ"],
  [flags.modelTableFlag, "true", true],
  [flags.toolTableFlag, "true", true],
  [flags.schemaFlag, "a.json", "a.json"],
  [flags.titleFlag, "A title", "A title"],
  [flags.dirFlag, "../other", "../other"],
  [flags.deltasFlag, "true", true],
  [flags.interactivePermissionsFlag, "true", true],
  [flags.trustFlag, "true", true],
  [flags.allFlag, "true", true],
  [flags.allModelsFlag, "true", true],
  [flags.limitFlag, "20", 20],
  [flags.cursorFlag, "20-7-1", "20-7-1"],
  [flags.messageFlag, "msg_0123abcXYZ", "msg_0123abcXYZ"],
  [flags.networkFlag, "true", true],
  [flags.hostnameFlag, "127.0.0.1", "127.0.0.1"],
  [flags.hostnameFlag, "::1", "::1"],
  [flags.portFlag, "0", 0],
  [flags.portFlag, "65535", 65_535],
  [flags.corsFlag, "http://LocalHost:5173", "http://localhost:5173"],
  [flags.corsFlag, "tauri://localhost/", "tauri://localhost"],
  [flags.logLevelFlag, "INFO", "INFO"],
  [flags.logLevelFlag, "debug", "DEBUG"],
  [flags.insecureLoopbackFlag, "true", true],
  [flags.printTokenFlag, "true", true],
  [flags.lastFlag, "true", true],
  [flags.turnFlag, "12", 12],
  [flags.yesFlag, "true", true],
  [flags.exportFormatFlag, "json", "json"],
  [flags.exportFormatFlag, "markdown", "markdown"],
  [flags.outputFlag, "out/a b.md", "out/a b.md"],
  [flags.sanitizeFlag, "true", true],
  [flags.dryRunFlag, "true", true],
  [flags.ofSessionFlag, "ses_0123abcXYZ", "ses_0123abcXYZ"],
  [flags.pointFlag, "msg_0123abcXYZ", "msg_0123abcXYZ"],
  [flags.pointFlag, "prt_0123abcXYZ", "prt_0123abcXYZ"],
  [flags.pathFlag, "src/a b", "src/a b"],
  [flags.changedByFlag, "msg_0123abcXYZ", "msg_0123abcXYZ"],
  [flags.statFlag, "true", true],
  [flags.cancelFlag, "true", true],
  [flags.textFlag, "other words", "other words"],
  [flags.deliveryFlag, "steer", "steer"],
  [flags.deliveryFlag, "queue", "queue"],
  [flags.positionFlag, "2", 2],
  [flags.holdFlag, "false", false],
  [flags.removeTrustFlag, "true", true],
]
const refused: [Flag, string, RegExp][] = [
  [flags.givenInFlag, "per_1", /expected a session id/],
  [flags.forProjectFlag, "here", /takes no value/],
  [flags.modelFlag, "claude", /expected provider\/model/],
  [flags.modelFlag, "/x", /expected provider\/model/],
  [flags.modelFlag, "x/", /expected provider\/model/],
  [flags.variantFlag, "", /empty/],
  [flags.agentFlag, " ", /empty/],
  [flags.sessionFlag, "1", /expected a session id/],
  [flags.sessionFlag, "ses_../../x", /expected a session id/],
  [flags.continueFlag, "yes", /takes no value/],
  [flags.forkFlag, "msg_1", /takes no value/],
  [flags.atFlag, "1", /expected the id of a message/],
  [flags.formatFlag, "yaml", /expected text or json, got "yaml"/],
  [flags.fileFlag, "", /empty/],
  [flags.autoFlag, "1", /takes no value/],
  [flags.budgetFlag, "", /expected dollars/],
  [flags.budgetFlag, "0", /expected dollars/],
  [flags.budgetFlag, "0tokens", /expected dollars/],
  [flags.budgetFlag, "-1", /expected dollars/],
  [flags.budgetFlag, "1e3", /expected dollars/],
  [flags.budgetFlag, "1,50", /expected dollars/],
  [flags.budgetFlag, "$5", /expected dollars/],
  [flags.budgetFlag, "20k", /expected dollars.*20000tokens, got "20k"/],
  [flags.budgetFlag, "0.5tokens", /expected dollars/],
  [flags.daysFlag, "0", /from 1 to 36500, or all, got "0"/],
  [flags.daysFlag, "99999", /from 1/],
  [flags.daysFlag, "-7", /from 1/],
  [flags.daysFlag, "week", /from 1/],
  [flags.projectFlag, " ", /empty/],
  [flags.modelTableFlag, "5", /takes no value/],
  [flags.toolTableFlag, "5", /takes no value/],
  [flags.schemaFlag, " ", /empty/],
  [flags.titleFlag, "", /empty/],
  [flags.dirFlag, "", /empty/],
  [flags.deltasFlag, "", /takes no value/],
  [flags.interactivePermissionsFlag, "no", /takes no value/],
  [flags.trustFlag, "always", /takes no value/],
  [flags.allFlag, "x", /takes no value/],
  [flags.allModelsFlag, "yes", /takes no value/],
  [flags.limitFlag, "0", /from 1/],
  [flags.cursorFlag, " ", /empty/],
  [flags.messageFlag, "ses_1", /expected a message id/],
  [flags.networkFlag, "1", /takes no value/],
  [flags.lastFlag, "1", /takes no value/],
  [flags.turnFlag, "0", /from 1/],
  [flags.turnFlag, "-1", /from 1/],
  [flags.yesFlag, "y", /takes no value/],
  [flags.exportFormatFlag, "text", /expected json or markdown, got "text"/],
  [flags.outputFlag, "", /empty/],
  [flags.sanitizeFlag, "no", /takes no value/],
  [flags.limitFlag, "1e9", /from 1/],
  [flags.limitFlag, "-3", /from 1/],
  [flags.dryRunFlag, "yes", /takes no value/],
  [flags.ofSessionFlag, "msg_1", /expected a session id/],
  [flags.pointFlag, "ses_1", /expected the id of a message or a part/],
  [flags.pathFlag, " ", /empty/],
  [flags.changedByFlag, "prt_1", /expected the id of a message, got "prt_1"/],
  [flags.statFlag, "5", /takes no value/],
  [flags.cancelFlag, "yes", /takes no value/],
  [flags.textFlag, " ", /empty/],
  [flags.deliveryFlag, "now", /expected steer or queue, got "now"/],
  [flags.positionFlag, "0", /from 1/],
  [flags.holdFlag, "no", /takes no value/],
  [flags.removeTrustFlag, "1", /takes no value/],
  [flags.hostnameFlag, "", /expected a host name/],
  [flags.hostnameFlag, "http://x", /expected a host name/],
  [flags.portFlag, "65536", /from 0 to 65535/],
  [flags.portFlag, "-1", /from 0 to 65535/],
  [flags.corsFlag, "*", /expected an origin/],
  [flags.corsFlag, "localhost:5173", /expected an origin/],
  [flags.corsFlag, "http://a.b/path", /expected an origin/],
  [flags.corsFlag, "http://user@a.b", /expected an origin/],
  [flags.corsFlag, "null", /expected an origin/],
  [flags.logLevelFlag, "loud", /expected debug, info, warn or error, got "loud"/],
  [flags.insecureLoopbackFlag, "1", /takes no value/],
  [flags.printTokenFlag, "x", /takes no value/],
]

describe("a flag takes", () => {
  test.each(accepted.map(([flag, text, value]) => [flag.name, text, flag, value] as const))(
    "--%s %s",
    (_name, text, flag, value) => {
      expect(flag.parse(text)).toEqual({ ok: true, value })
    },
  )
})

describe("a flag refuses", () => {
  test.each(refused.map(([flag, text, message]) => [flag.name, text, flag, message] as const))(
    "--%s %j",
    (_name, text, flag, message) => {
      const parsed = flag.parse(text)
      expect(parsed.ok ? undefined : parsed.error).toMatch(message)
    },
  )
})

test("every flag of every command is tried above, both ways", () => {
  const all = new Set<Flag>(commands.flatMap((command) => command.flags))
  expect([...all].filter((flag) => !accepted.some(([tried]) => tried === flag))).toEqual([])
  expect([...all].filter((flag) => !refused.some(([tried]) => tried === flag))).toEqual([])
})

test("a flag with a value says what a shell may offer, or takes free text", () => {
  const free = new Set<Flag>([
    ...[flags.titleFlag, flags.budgetFlag, flags.limitFlag],
    ...[flags.turnFlag, flags.textFlag, flags.positionFlag],
    ...[flags.hostnameFlag, flags.portFlag, flags.corsFlag],
    ...[flags.cursorFlag, flags.messageFlag, flags.pointFlag, flags.changedByFlag, flags.atFlag],
  ])
  for (const flag of commands.flatMap((command) => command.flags)) {
    if (flag.value !== undefined && !free.has(flag)) expect(flag.completion).toBeDefined()
  }
})
