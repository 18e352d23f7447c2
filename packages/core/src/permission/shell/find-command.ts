import { everyName, hasHole, hole, shownNames, type Word, wordOf } from "./syntax.ts"

interface Exec {
  readonly words: readonly Word[]
  /** It runs in the directory of each file. */
  readonly directories: boolean
}

/** The commands that `find` runs, and its other words. `{}` stands for what lies below its starting points. */
export function execOf(args: readonly Word[]): { own: Word[]; commands: Exec[]; problem?: string } {
  const own: Word[] = []
  const commands: Exec[] = []
  const paths = startPaths("find", args)
  for (let index = 0; index < args.length; index++) {
    const option = args[index]!
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(option.value)) {
      own.push(option)
      continue
    }
    const end = args.findIndex(
      (word, at) => at > index && (word.value === ";" || (word.value === "+" && args[at - 1]?.value === "{}")),
    )
    if (end < 0) return { own, commands, problem: "a command without an end" }
    const words = args
      .slice(index + 1, end)
      .map((word) => (word.value.includes("{}") ? placeholder(word, paths) : word))
    if (words.length === 0) return { own, commands, problem: "a command without a name" }
    commands.push({ words, directories: option.value.endsWith("dir") })
    index = end
  }
  return { own, commands }
}

/** A word of a command that is filled with names later. */
export function placeholder(word: Word, stands: readonly Word[] | undefined, text = "{}"): Word {
  const whole = word.value === text
  return { ...word, value: word.value.replaceAll(text, hole), plain: false, ...(whole && stands && { stands }) }
}

/** Where the files lie that a command lists, and how they may be called. */
export function startPaths(command: string, args: readonly Word[]): Word[] {
  const values = args.map((word) => word.value)
  if (command === "git") return [{ ...wordOf("."), below: [] }]
  if (command !== "find" && command !== "gfind") {
    const hidden = values.some((text) => /^-\w*[aAdHu]|^--(?:all|almost|hidden|no-ignore|unrestricted)/.test(text))
    return [{ ...wordOf("."), below: hidden ? everyName : shownNames }]
  }
  const paths: Word[] = []
  for (const word of args) {
    if (/^-[HLPDO]/.test(word.value)) continue
    if (/^[-(!,)]/.test(word.value)) break
    paths.push(word)
  }
  const below = namesOf(values)
  return (paths.length > 0 ? paths : [wordOf(".")]).map((word) => ({ ...word, below }))
}

/** The names that `find` looks for, where nothing else can be meant. */
function namesOf(values: readonly string[]): readonly string[] {
  const at = values.findIndex((text) => text === "-name" || text === "-iname")
  const pattern = values[at + 1]
  const unsure = values.some((text) => /^(?:-o|-or|!|-not|,|\(|-iname)$/.test(text))
  return at < 0 || pattern === undefined || unsure || hasHole(pattern) ? everyName : [pattern]
}
