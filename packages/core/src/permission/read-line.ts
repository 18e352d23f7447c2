import type { Dialect } from "../process/shell.ts"
import type { ShellContext } from "./shell/collected.ts"
import { type ShellFacts, shellFacts } from "./shell/facts.ts"
import { createGrammars } from "./shell/parser.ts"
import { plainTree } from "./shell/plain-line.ts"
import { sameInSh, sameInZsh } from "./shell/shell-text.ts"
import type { Parse } from "./shell/syntax.ts"

/** Facts of a line, as the shell would read it that would run it. Interruption rejects with the reason. */
export type ReadLine = (
  dialect: Dialect,
  line: string,
  context: ShellContext,
  signal: AbortSignal,
) => Promise<ShellFacts>

/** What a shell reads in its own way is `opaque`. Grammars are loaded when a line needs them. */
export function createReadLine(): ReadLine {
  const grammars = createGrammars()
  const readBash = async (line: string, context: ShellContext, signal: AbortSignal) =>
    plainFacts(line, context) ?? shellFacts(await grammars.bash(signal), line, context)
  return async (dialect, line, context, signal) => {
    switch (dialect) {
      case "bash":
        return await readBash(line, context, signal)
      case "sh":
      case "zsh": {
        const facts = await readBash(line, context, signal)
        const same = dialect === "sh" ? sameInSh(line) : sameInZsh(line)
        return same ? facts : { opaque: `${dialect} may read it in another way`, ...facts }
      }
      case "powershell": {
        const [{ powershellFacts }, parse] = await Promise.all([
          import("./shell/windows/powershell-facts.ts"),
          grammars.powershell(signal),
        ])
        return powershellFacts(parse, line, context)
      }
      case "cmd":
        return (await import("./shell/windows/cmd-facts.ts")).cmdFacts(line, context)
      case "other":
        return { ...nothing, opaque: "nobody here knows how this shell reads a line" }
    }
  }
}

/** Facts of a line that needs no grammar, nor does any line that it starts; undefined for every other. */
function plainFacts(line: string, context: ShellContext): ShellFacts | undefined {
  let plain = true
  const parse: Parse = (text) => {
    const root = plainTree(text)
    plain &&= root !== undefined
    return root ? { ok: true, root } : { ok: false, reason: "not plain" }
  }
  const facts = shellFacts(parse, line, context)
  return plain ? facts : undefined
}

const nothing: ShellFacts = { invocations: [], redirects: [], reads: [], writes: [], outside: [] }
