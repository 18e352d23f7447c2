import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"

export interface EditorOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The user's editor as it stands in the environment, with its arguments; undefined when none is set. */
export function editorOf(env: EditorOptions["env"]): string | undefined {
  return env["VISUAL"] || env["EDITOR"] || undefined
}

/**
 * Opens the text in the user's editor and returns what was saved; the terminal has to be the editor's while this runs
 * (`Screen.aside`). An error says what to do; the text is then unchanged.
 */
export async function editText(text: string, options: EditorOptions): Promise<Result<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), "cairn-prompt-"))
  const file = join(directory, "prompt.md")
  try {
    await writeFile(file, text, { mode: 0o600 })
    const ended = await openInEditor(file, undefined, options)
    if (!ended.ok) return ended
    // Editors end a file with a line end, which nobody typed.
    return ok((await readFile(file, "utf8")).replace(/\r?\n$/, ""))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Opens a file, at a line where the editor is known to take one. */
export async function openInEditor(
  file: string,
  line: number | undefined,
  options: EditorOptions,
): Promise<Result<void, string>> {
  const editor = editorOf(options.env)
  if (editor === undefined) return err("no editor is set: put one into VISUAL or EDITOR, for example EDITOR=nano")
  const argv = command(editor, line === undefined ? [file] : placed(editor, file, line))
  try {
    const child = Bun.spawn(argv, {
      cwd: options.cwd,
      env: { ...options.env },
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    })
    const code = await child.exited
    if (code === 0) return ok(undefined)
    return err(`the editor (${editor}) ended with ${child.signalCode ?? code}: nothing was taken over`)
  } catch (error) {
    return err(`the editor (${editor}) could not be started: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** EDITOR is a piece of shell (`code --wait`, `"my editor" -f`): the shell takes it apart, and the file is an argument. */
function command(editor: string, words: readonly string[]): string[] {
  if (process.platform === "win32") return [...editor.split(" "), ...words]
  return ["/bin/sh", "-c", `${editor} "$@"`, editor, ...words]
}

function placed(editor: string, file: string, line: number): string[] {
  const name = /([^\s/\\"']+)["']?(?:\s|$)/.exec(editor)?.[1] ?? ""
  if (/^(?:n?vim?|nano|emacs|emacsclient|micro|kak|joe|ne)(?:\.exe)?$/.test(name)) return [`+${line}`, file]
  if (/^(?:code|codium|cursor|windsurf|code-insiders)(?:\.exe|\.cmd)?$/.test(name)) return ["--goto", `${file}:${line}`]
  if (/^(?:hx|helix|subl|zed)(?:\.exe)?$/.test(name)) return [`${file}:${line}`]
  return [file]
}
