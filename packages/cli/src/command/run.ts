import type { Command, Input } from "../argv/define.ts"
import {
  agentFlag,
  autoFlag,
  budgetFlag,
  continueFlag,
  deltasFlag,
  dirFlag,
  fileFlag,
  forkFlag,
  formatFlag,
  interactivePermissionsFlag,
  modelFlag,
  schemaFlag,
  sessionFlag,
  titleFlag,
  trustFlag,
  variantFlag,
} from "../flag.ts"
import type { Io } from "../io.ts"
import { usageError } from "../report-error.ts"
import type { RunOptions } from "../run/run-session.ts"

export const runCommand: Command = {
  name: "run",
  summary: "Give the agent a message and let it work until it is done",
  doc: [
    "Works in the current directory (or --dir) and answers on stdout; what happens on the way goes to stderr.",
    "Without a message, stdin is the message. With one, stdin is added to it if it is a file or a pipe that closes.",
    "Nobody is asked anything: what the permission rules ask about is denied to the model and the exit code says so," +
      " unless --auto or --interactive-permissions is given.",
    "With --schema the agent works as usual and gives its result as JSON. What does not fit the schema is sent back to the" +
      " model twice; then the run fails with 3 and stdout stays empty.",
    "--budget bounds this run in place of budget.run of the config; given twice, it bounds money and tokens. A model" +
      " whose price is not known needs one of tokens.",
    "",
    "Exit codes: 0 done; 1 internal error; 2 to be mended first (usage, config, model, key, session); 3 the provider" +
      " failed; 4 a call needed an approval that nobody could give; 5 budget or step limit; 6 loop guard; 130 and 143" +
      " interrupted by SIGINT and SIGTERM; 141 the reader of stdout went away.",
  ].join("\n"),
  examples: [
    `cairn run "find out why the test in src/parse fails and fix it"`,
    `git diff | cairn run "review this change"`,
    `cairn run --schema report.schema.json "which dependencies are outdated?" | jq .`,
    `cairn run --continue --format json "now add a test" | jq -r 'select(.type == "result").text'`,
  ],
  flags: [
    modelFlag,
    variantFlag,
    agentFlag,
    sessionFlag,
    continueFlag,
    forkFlag,
    formatFlag,
    fileFlag,
    schemaFlag,
    autoFlag,
    budgetFlag,
    titleFlag,
    dirFlag,
    deltasFlag,
    interactivePermissionsFlag,
    trustFlag,
  ],
  args: { usage: "[message…]", doc: "What to do; words are joined by spaces", min: 0, max: Infinity },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const format = input.get(formatFlag) ?? "text"
  const conflict = contradiction(input)
  if (conflict !== undefined) return usageError(io, { message: conflict, command: "run" }, format === "json")
  const given = {
    model: input.get(modelFlag),
    variant: input.get(variantFlag),
    agent: input.get(agentFlag),
    session: input.get(sessionFlag),
    title: input.get(titleFlag),
    schema: input.get(schemaFlag),
    dir: input.get(dirFlag),
  }
  // Nobody would get the answer: said at the program's end.
  if (io.stdout.failure !== undefined) return 2
  const budget: NonNullable<RunOptions["budget"]> = Object.assign({}, ...input.all(budgetFlag))
  const { runSession } = await import("../run/run-session.ts")
  return runSession(io, {
    message: input.words.join(" "),
    files: input.all(fileFlag),
    format,
    deltas: input.get(deltasFlag) ?? false,
    interactive: input.get(interactivePermissionsFlag) ?? false,
    auto: input.get(autoFlag) ?? false,
    trust: input.get(trustFlag) ?? false,
    continue: input.get(continueFlag) ?? false,
    fork: input.get(forkFlag) ?? false,
    ...(Object.keys(budget).length > 0 && { budget }),
    ...withoutUndefined(given),
  })
}

function contradiction(input: Input): string | undefined {
  if (input.get(sessionFlag) !== undefined && input.get(continueFlag))
    return "--session and --continue exclude each other"
  if (input.get(forkFlag) && input.get(sessionFlag) === undefined && !input.get(continueFlag))
    return "--fork needs a session to copy: add --continue or --session"
  if (input.get(autoFlag) && input.get(interactivePermissionsFlag)) {
    return "--auto and --interactive-permissions exclude each other"
  }
  const kinds = input.all(budgetFlag).flatMap(Object.keys)
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) < index)
  return twice === undefined ? undefined : `--budget was given twice for ${twice}`
}

function withoutUndefined<T extends Record<string, string | undefined>>(given: T): { [K in keyof T]?: string } {
  // Only entries with a value remain, so no key holds undefined.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string
  }
}
