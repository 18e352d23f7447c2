import type { Command, Completion, Flag } from "../argv/define.ts"
import { type CompletionSpec, kindWord } from "./spec.ts"

/** The script for fish 3 and later. */
export function fishScript({ commands, singles, groups }: CompletionSpec): string {
  const summary = (name: string) => commands.find((command) => command.name === name)?.summary ?? ""
  const top = [
    ...singles.map((name) => [name, summary(name)] as const),
    ...groups.map((group) => [group.name, group.summary] as const),
  ]
  const node = (path: string, rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, text]) => `complete -c cairn -n '__cairn_exactly ${path}' -a ${name} -d ${quoted(text)}`)
  const lines = [
    ...node("", [...top, ["help", "Show help of a command"]]),
    ...node("help", top),
    "complete -c cairn -n '__cairn_exactly ' -l version -s v -d 'Show the version'",
    "complete -c cairn -l help -s h -d 'Show help'",
    ...groups.flatMap(({ name, commands: tails }) => {
      const rows = tails.map((tail) => [tail.name, tail.summary] as const)
      return [...node(name, rows), ...node(`help ${name}`, rows)]
    }),
    ...commands.flatMap(commandLines),
  ]
  return `# Completion of cairn for fish, written by: cairn completion fish
# Once: cairn completion fish > ~/.config/fish/completions/cairn.fish

# Whether these words, and no others, stand before the cursor.
function __cairn_exactly
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = "$argv"
end

# Whether the words before the cursor begin with these.
function __cairn_in
    set -l words (commandline -opc)
    set -e words[1]
    set -l many (count $argv)
    test (count $words) -ge $many; and test "$words[1..$many]" = "$argv"
end

# Values that only the engine knows: sessions, models, agents.
function __cairn_values
    set -l words (commandline -opc)
    set -l dir ''
    for i in (seq 2 (count $words))
        switch $words[$i]
            case '--dir=*' '-C=*'
                set dir (string replace -r '^[^=]*=' '' -- $words[$i])
            case --dir -C
                set -l next (math $i + 1)
                set dir $words[$next]
        end
    end
    set dir (string replace -r '^~' $HOME -- $dir)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    $program __complete $argv[1] (string replace -r '^-[^=]*=' '' -- (commandline -ct)) "$dir" 2>/dev/null </dev/null
end

complete -c cairn -f
${lines.join("\n")}
`
}

function commandLines({ name, flags, args }: Command): string[] {
  const condition = `-n '__cairn_in ${name}'`
  const words = args?.completion === undefined ? [] : [`complete -c cairn ${condition} ${values(args.completion)}`]
  return [...flags.map((flag) => `complete -c cairn ${condition} ${flagOption(flag)} -d ${quoted(flag.doc)}`), ...words]
}

function flagOption(flag: Flag): string {
  const names = `-l ${flag.name}${flag.short === undefined ? "" : ` -s ${flag.short}`}`
  if (flag.value === undefined) return names
  if (flag.completion === undefined) return `${names} -x`
  return `${names} ${flag.completion === "file" ? "-r" : "-x"} ${values(flag.completion)}`
}

function values(completion: Completion): string {
  if (typeof completion !== "string") return `-a ${quoted(completion.join(" "))}`
  if (completion === "file") return "-F"
  return completion === "directory"
    ? "-a '(__fish_complete_directories)'"
    : `-a '(__cairn_values ${kindWord(completion)})'`
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
