import type { Command } from "../argv/define.ts"
import { usageError } from "../report-error.ts"

const shells = ["bash", "zsh", "fish"] as const

/** `commands` is called when a script is written: the list holds this command too. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: "completion",
    summary: "Print a completion script for bash, zsh or fish",
    doc: [
      "Completes commands, flags and their values; sessions, models and agents are asked for when they are needed.",
      "",
      "bash: source <(cairn completion bash) in ~/.bashrc",
      "zsh: source <(cairn completion zsh) in ~/.zshrc, after compinit",
      "fish: cairn completion fish > ~/.config/fish/completions/cairn.fish",
    ].join("\n"),
    examples: ["source <(cairn completion bash)", "cairn completion fish > ~/.config/fish/completions/cairn.fish"],
    flags: [],
    args: { usage: "<shell>", doc: "bash, zsh or fish", min: 1, max: 1, completion: shells },
    async run(io, input) {
      const shell = input.words[0] ?? ""
      const write = await script(shell)
      if (!write) {
        const message = `no completion for ${JSON.stringify(shell.slice(0, 60))}; there is one for ${shells.join(", ")}`
        return usageError(io, { message, command: "completion" }, false)
      }
      const { completionSpec } = await import("../completion/spec.ts")
      io.stdout.write(write(completionSpec(commands())))
      return 0
    },
  }
}

async function script(shell: string) {
  if (shell === "bash") return (await import("../completion/bash.ts")).bashScript
  if (shell === "zsh") return (await import("../completion/zsh.ts")).zshScript
  return shell === "fish" ? (await import("../completion/fish.ts")).fishScript : undefined
}
