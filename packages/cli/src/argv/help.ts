import type { Command, Flag } from "./define.ts"

const intro =
  "Cairn is an AI coding agent: it reads a codebase, edits files, runs commands, and goes on until the job is done."

/** Help of a command, of a group of commands, or of everything (`topic` empty). Ends with a line end. */
export function helpText(commands: readonly Command[], topic: string): string {
  const command = commands.find((candidate) => candidate.name === topic)
  if (command) return commandHelp(command)
  const listed = topic === "" ? commands : commands.filter((candidate) => candidate.name.startsWith(`${topic} `))
  const rows = listed.map((each): Row => [usage(each, false), each.summary])
  const lines = [
    ...(topic === "" ? [...wrap(intro, 78), ""] : []),
    `Usage: cairn ${topic === "" ? "" : `${topic} `}<command> [flags]`,
    "",
    "Commands",
    ...columns(rows),
    "",
    ...(topic === "" ? ["Flags", ...columns(globalFlags), ""] : []),
    "Example",
    `  ${(topic === "" ? commands : listed)[0]?.examples[0] ?? ""}`,
    "",
    "cairn <command> --help says more about a command.",
  ]
  return `${lines.join("\n")}\n`
}

type Row = readonly [left: string, right: string]

const globalFlags: readonly Row[] = [
  ["-h, --help", "Show help, also after a command"],
  ["-v, --version", "Show the version"],
]

function commandHelp(command: Command): string {
  const lines = [
    command.summary,
    "",
    `Usage: cairn ${usage(command, true)}`,
    "",
    ...wrap(command.doc, 78),
    "",
    ...(command.args ? ["Arguments", ...columns([[command.args.usage, command.args.doc]]), ""] : []),
    "Flags",
    ...columns([
      ...command.flags.map((flag): Row => [flagUsage(flag), flagDoc(flag)]),
      ["-h, --help", "Show this help"],
    ]),
    "",
    command.examples.length > 1 ? "Examples" : "Example",
    ...command.examples.map((example) => `  ${example}`),
  ]
  return `${lines.join("\n")}\n`
}

/** `run [message…] [flags]` */
export function usage(command: Command, flags: boolean): string {
  const parts = [command.name, command.args?.usage, flags ? "[flags]" : undefined]
  return parts.filter((part) => part !== undefined).join(" ")
}

/** `-m, --model <provider/model>` */
export function flagUsage(flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` <${flag.value}>`}`
}

/** The flag's line of help with what follows from the object itself. */
export function flagDoc(flag: Flag): string {
  return flag.repeatable ? `${flag.doc} (may be repeated)` : flag.doc
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.flatMap(([left, right]) =>
    wrap(right, 76 - width).map((line, index) => `  ${(index === 0 ? left : "").padEnd(width)}  ${line}`.trimEnd()),
  )
}

/** Wraps at spaces; blank lines stay. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = []
    let line = ""
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line)
        line = word
      } else line = line === "" ? word : `${line} ${word}`
    }
    return [...lines, line]
  })
}
