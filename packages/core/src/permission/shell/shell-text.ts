import { hasHole, type Word } from "./syntax.ts"

/** A text that a shell runs, with its `$1` and so on. */
export interface ShellText {
  readonly text: string
  readonly args: readonly string[] | undefined
}

/** Shells that read what bash reads. */
const likeBash: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "rbash"])
/** What means the same in every shell of that family. */
const everywhere = /^[\w\s./:@%+,"'&|;-]*$/

/**
 * What a shell with these arguments runs: a text, or `opaque` when it cannot be known; undefined when it is a script,
 * which is an ordinary file to run.
 */
export function shellText(command: string, args: readonly Word[], document?: string): ShellText | "opaque" | undefined {
  let at = 0
  let takes = false
  for (; at < args.length; at++) {
    const { value } = args[at]!
    if (hasHole(value) || args[at]!.many) return "opaque"
    if (value === "--") {
      at++
      break
    }
    if (value === "-" || !/^[-+]/.test(value)) break
    if (value.startsWith("--")) {
      if (!/^--(?:login|norc|noprofile|posix|restricted|verbose|no-rcs|version|help)$/.test(value)) return "opaque"
      if (/^--(?:version|help)$/.test(value)) return undefined
      continue
    }
    if (/[^-+ceuxvlfhnaCEo]/.test(value)) return "opaque"
    if (value.includes("c")) takes = true
    if (value.includes("o") && !/^(?:pipefail|errexit|nounset|xtrace|verbose|noclobber)$/.test(args[++at]?.value ?? ""))
      return "opaque"
  }
  if (!takes) {
    const file = args[at]
    if (!file && document !== undefined && likeBash.has(command)) return { text: document, args: [] }
    return !file || file.value === "-" || /^\/dev\/|^\/proc\//.test(file.value) ? "opaque" : undefined
  }
  const text = args[at]
  if (!text || hasHole(text.value) || text.many || text.glob) return "opaque"
  const rest = args.slice(at + 2)
  const known = !rest.some((word) => word.many || word.glob)
  if (!likeBash.has(command) && !(command === "zsh" && everywhere.test(text.value) && !zshWords.test(text.value)))
    return "opaque"
  return { text: text.value, args: known ? rest.map((word) => word.value) : undefined }
}

const zshWords = /(?:^|[\s;&|])(?:-|noglob|nocorrect|repeat|foreach|autoload|zmodload|always|zcompile)(?:\s|$)/
