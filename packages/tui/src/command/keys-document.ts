import { parseBindings, showSequence } from "../input/key.ts"
import { type Command, groups } from "./define.ts"
import { defaultLeader } from "./registry.ts"

/** docs/keys.md: every command with its keys, its slash name, its names in `keybinds` and what it does. */
export function keysDocument(commands: readonly Command<never>[]): string {
  const lines = [
    "# Keys and commands of the terminal interface",
    "",
    "Made from the commands themselves (`bun run script/docs.ts`); `?` on an empty prompt shows the keys that hold there, and",
    "ctrl+p finds every command by its name. `keybinds` in `tui.json` gives other keys, by the name in the third column or by",
    'the original\'s: `"session.new": "<leader>n,f5"`, `"none"` takes them away. The leader is ctrl+x.',
  ]
  for (const group of groups) {
    const own = commands.filter((command) => command.group === group)
    if (own.length === 0) continue
    lines.push("", `## ${group}`, "", "| key | slash | name | what happens |", "|---|---|---|---|")
    for (const command of own) lines.push(row(command))
  }
  return `${lines.join("\n")}\n`
}

function row({ id, title, doc, keys, slash, original, layer }: Command<never>): string {
  const sequences = parseBindings(keys ?? "none")
  const shown = sequences.ok ? sequences.value.map((sequence) => code(showSequence(sequence, defaultLeader))) : []
  const where = layer === undefined || layer === "global" ? "" : ` (${layer})`
  const names = [id, original].filter((name) => name !== undefined).map((name) => `\`${name}\``)
  const slashes = (slash ?? []).map((name) => `\`/${name}\``)
  return `| ${shown.join(", ")}${shown.length > 0 ? where : ""} | ${slashes.join(", ")} | ${names.join(", ")} | **${title}.** ${doc} |`
}

/** A pipe ends a table's cell, also in code. */
const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``
