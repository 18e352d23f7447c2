import { hasHole, type Word } from "./syntax.ts"

/** A text that a shell runs, with its `$1` and so on. */
export interface ShellText {
  readonly text: string
  readonly args: readonly string[] | undefined
}

/** Shells that read what bash reads, but for what is its own. */
const likeBash: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "rbash"])
/** Quotes, redirects, patterns and words that only bash and some others know. */
const bashOwn =
  /\$['"[]|&>|>&\s*[^\d\s-]|[<>]\(|<<<|\[\[|\(\(|\{[^\s}]*(?:,|\.\.)|;;?&|\|&|\+=|[?*+@!]\(|\$\{\w+[^\w}:?+=%#-]|(?:^|[\s;&|(])(?:function|select|coproc|time|declare|typeset|local|export|readonly|pushd|popd|shopt|mapfile|readarray)(?:\s|$)/
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
    if (!file && document !== undefined && readsAsBash(command, document)) return { text: document, args: [] }
    return !file || file.value === "-" || /^\/dev\/|^\/proc\//.test(file.value) ? "opaque" : undefined
  }
  const text = args[at]
  if (!text || hasHole(text.value) || text.many || text.glob) return "opaque"
  const rest = args.slice(at + 2)
  const known = !rest.some((word) => word.many || word.glob)
  if (!readsAsBash(command, text.value)) return "opaque"
  return { text: text.value, args: known ? rest.map((word) => word.value) : undefined }
}

function readsAsBash(command: string, line: string): boolean {
  if (command === "bash" || command === "rbash") return true
  return likeBash.has(command) ? sameInSh(line) : command === "zsh" && sameInZsh(line)
}

/** Does every shell that follows the standard certainly read a line as bash does? */
export const sameInSh = (line: string): boolean => !bashOwn.test(line)

/** Does zsh certainly read a line as bash does? */
export const sameInZsh = (line: string): boolean => everywhere.test(line) && !zshWords.test(line)

const zshWords = /(?:^|[\s;&|])(?:-|noglob|nocorrect|repeat|foreach|autoload|zmodload|always|zcompile)(?:\s|$)/
