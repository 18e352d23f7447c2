import { dirname, resolve } from "node:path"
import { type Observation, readTestReport, type TestReport, withoutLineNumbers } from "./observe.ts"

export interface Call {
  readonly tool: "read" | "bash" | "edit"
  readonly input: Readonly<Record<string, string>>
}

/** What the script does next: says something, and calls tools or ends. */
export interface Move {
  readonly text: string
  readonly calls: readonly Call[]
}

interface Defect {
  readonly pattern: RegExp
  readonly repair: (found: string) => string
  readonly why: string
}

/** The mistakes that the script knows. It finds them in what it has read, wherever they stand. */
const defects: readonly Defect[] = [
  {
    pattern: /for \(let (\w+) = 0; \1 < \w+\.length - 1; \1\+\+\)/,
    repair: (found) => found.replace(".length - 1", ".length"),
    why: "the loop stops before the last element",
  },
  {
    pattern: /1 - \w+ \/ 10\b/,
    repair: (found) => `${found}0`,
    why: "a percentage is divided by 10 instead of 100",
  },
]

const commands = ["npm test", "node --test", "bun test ./test/*.mjs"]
const mostRuns = 4

const realModel =
  "To use a real model, set the key of a provider in the environment, for example ANTHROPIC_API_KEY, OPENAI_API_KEY or " +
  'GEMINI_API_KEY, or choose one in the config ("model": "provider/model"), and run cairn again without --model demo/tour.'
const whoIAm = "I am demo/tour, a scripted model: I follow a script and no language model answers here."

const end = (text: string): Move => ({ text, calls: [] })

/** Answers a request that is not the tour, or that the script cannot go on with. */
function stop(why: string): Move {
  return end(`${whoIAm} ${why}\n\n${realModel}`)
}

interface State {
  readonly seen: readonly Observation[]
  /** Index of the last test run, and of every run that gave a report. */
  readonly runs: readonly { readonly at: number; readonly report: TestReport | undefined }[]
}

/** Chooses the next move of the tour from the user's request and what the tools have answered so far. */
export function nextMove(request: string, seen: readonly Observation[], tools: readonly string[]): Move {
  if (!/\b(tour|tests?|failing|fix|mend|repair)\b/i.test(request))
    return stop(
      "All I can do is the tour: mending the small project of examples/tour, whose tests fail. Your request is not part of it.",
    )
  const missing = ["read", "bash", "edit"].filter((tool) => !tools.includes(tool))
  if (missing.length > 0) return stop(`The tour needs the tools ${missing.join(", ")}, which this agent does not have.`)
  const manifest = seen.find((one) => one.tool === "read" && text(one.input["filePath"]).endsWith("package.json"))
  if (!manifest) return { text: "I will see what this project is and how it is tested.", calls: [read("package.json")] }
  if (manifest.failed || !/"name":\s*"cairn-tour"/.test(manifest.text))
    return stop("This directory is not the tour project (examples/tour), so I leave it alone.")
  const runs = seen.flatMap((one, at) => (one.tool === "bash" ? [{ at, report: readTestReport(one.text) }] : []))
  return afterRuns({ seen, runs })
}

function afterRuns(state: State): Move {
  const { seen, runs } = state
  const last = runs.at(-1)
  if (!last) return { text: "The tests are run by npm test. First I look at how they fail.", calls: [run(commands[0])] }
  if (!last.report) {
    const command = commands[runs.length]
    const result = seen[last.at]
    if (
      command !== undefined &&
      /command not found|: not found|not recognized|exit code:? 127/i.test(result?.text ?? "")
    )
      return { text: "That command does not exist here; I try another way to run the tests.", calls: [run(command)] }
    return stop(`The tests did not run, so the tour ends here: ${firstLine(result?.text ?? "")}`)
  }
  if (last.report.failed === 0) return end(summary(state, last.report))
  const calls = pending(state, last.at, last.report)
  if (calls.length > 0) return { text: describe(calls, last, state), calls }
  const since = seen.slice(last.at + 1)
  const refused = since.find((one) => one.tool === "edit" && one.failed)
  if (refused)
    return stop(`A change was not made: ${firstLine(refused.text)} So ${last.report.failed} tests still fail.`)
  if (since.some((one) => one.tool === "edit") && runs.length < mostRuns)
    return { text: "The changes are made. Now the tests again.", calls: [run(lastCommand(state))] }
  return stop(`${last.report.failed} tests fail, but not by a mistake that my script knows.`)
}

/** Reads and edits that follow from the last report and were not tried since: named files, what they import, known defects. */
function pending({ seen }: State, from: number, report: TestReport): Call[] {
  const since = seen.slice(from + 1)
  const tried = (tool: string, path: string) => since.some((one) => one.tool === tool && one.input["filePath"] === path)
  const calls: Call[] = []
  const wanted = [...report.files]
  for (let at = 0; at < wanted.length && at < 20; at++) {
    const path = wanted[at] ?? ""
    if (!tried("read", path)) {
      calls.push(read(path))
      continue
    }
    const content = contentOf(since, path)
    for (const target of importsOf(content, path)) if (isTest(path) && !wanted.includes(target)) wanted.push(target)
    const edit = isTest(path) || tried("edit", path) ? undefined : repairOf(content, path)
    if (edit) calls.push(edit)
  }
  return calls
}

function contentOf(seen: readonly Observation[], path: string): string {
  const found = seen.findLast((one) => one.tool === "read" && one.input["filePath"] === path)
  return found && !found.failed ? withoutLineNumbers(found.text) : ""
}

function repairOf(content: string, path: string): Call | undefined {
  for (const { pattern, repair } of defects) {
    const found = pattern.exec(content)?.[0]
    if (found !== undefined)
      return { tool: "edit", input: { filePath: path, oldString: found, newString: repair(found) } }
  }
  return undefined
}

function importsOf(content: string, path: string): string[] {
  return [...content.matchAll(/from "(\.{1,2}\/[^"]+)"/g)].map((match) => resolve(dirname(path), match[1] ?? ""))
}

const text = (value: unknown) => (typeof value === "string" ? value : "")
const isTest = (path: string) => /\/test\/[^/]+$/.test(path)
const read = (filePath: string): Call => ({ tool: "read", input: { filePath } })
const run = (command = "npm test"): Call => ({ tool: "bash", input: { command, description: "Runs the tests" } })
const name = (path: string) => path.split("/").slice(-2).join("/")
const firstLine = (text: string) => (text.trim().split("\n")[0] ?? "").slice(0, 200)
const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

function lastCommand({ seen, runs }: State): string {
  return text(seen[runs.at(-1)?.at ?? 0]?.input["command"]) || "npm test"
}

function describe(calls: readonly Call[], last: State["runs"][number], { seen }: State): string {
  const edits = calls.filter((call) => call.tool === "edit")
  const reads = calls.filter((call) => call.tool === "read").map((call) => name(call.input["filePath"] ?? ""))
  const fresh = seen.length === last.at + 1
  const parts = [
    ...(fresh
      ? [
          `${plural(last.report?.failed ?? 0, "test")} of ${(last.report?.failed ?? 0) + (last.report?.passed ?? 0)} failed.`,
        ]
      : []),
    ...edits.map(
      ({ input }) => `In ${name(input["filePath"] ?? "")} ${reasonFor(input["oldString"] ?? "")}; I correct that.`,
    ),
    ...(reads.length > 0 ? [`The failures lead to ${listed(reads)}, which I read now.`] : []),
  ]
  return parts.join(" ")
}

function reasonFor(found: string): string {
  return defects.find(({ pattern }) => pattern.test(found))?.why ?? "there is a mistake"
}

function summary({ seen, runs }: State, report: TestReport): string {
  const edits = seen.filter((one) => one.tool === "edit" && !one.failed)
  const first = runs.find((one) => one.report)?.report
  if (edits.length === 0)
    return `All ${plural(report.passed, "test")} pass already; there is nothing to mend.\n\n${whoIAm} ${realModel}`
  const changes = edits.map(({ input }) => `- ${name(text(input["filePath"]))}: ${reasonFor(text(input["oldString"]))}`)
  return [
    `Done: all ${plural(report.passed, "test")} pass; ${first?.failed ?? 0} of ${(first?.passed ?? 0) + (first?.failed ?? 0)} failed before. I changed ${plural(edits.length, "place")}:`,
    ...changes,
    "",
    `${whoIAm} ${realModel}`,
  ].join("\n")
}

/** "a", "a and b", "a, b, and c". */
const listed = (names: readonly string[]): string => new Intl.ListFormat("en").format(names)
