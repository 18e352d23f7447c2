import path from "node:path"
import { chmod } from "node:fs/promises"
import type { TempWorkspace } from "@cairn/testkit/workspace"

const entry = path.join(import.meta.dir, "../../src/main.ts")

/** The shells whose completion can be tried here. */
export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

/** What a real shell offers after `line` and a tab, with the script that `cairn completion` writes. */
export type Offers = (line: string) => Promise<string[]>

/** Puts `cairn` on the PATH of a workspace and its script for `shell` beside it. */
export async function offersOf(space: TempWorkspace, shell: Shell, env: Record<string, string> = {}): Promise<Offers> {
  const bin = path.join(space.home, "bin")
  const script = path.join(space.home, `completion.${shell}`)
  await space.write(path.join(bin, "cairn"), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`)
  await chmod(path.join(bin, "cairn"), 0o755)
  const all = { ...space.env, ...env, PATH: `${bin}:${space.env["PATH"]}`, SCRIPT: script, TERM: "xterm" }
  await space.write(script, await output(["cairn", "completion", shell], space.dir, all))
  const run = (argv: string[], more: Record<string, string> = {}) => output(argv, space.dir, { ...all, ...more })
  const ask = { bash: askBash, zsh: askZsh, fish: askFish }[shell]
  return async (line) => (await ask(line, run, space)).split("\n").filter((offer) => offer !== "")
}

type Run = (argv: string[], env?: Record<string, string>) => Promise<string>

const file = (name: string) => path.join(import.meta.dir, name)

function askBash(line: string, run: Run): Promise<string> {
  return run(["bash", "--norc", "--noprofile", file("bash.sh"), ...bashWords(line)], { LINE: line })
}

/** Readline ends words at : and =, too, and keeps these as words. */
function bashWords(line: string): string[] {
  return line.split(" ").flatMap((word) => (word === "" ? [""] : (word.match(/[:=]+|[^:=]+/g) ?? [])))
}

async function askZsh(line: string, run: Run, space: TempWorkspace): Promise<string> {
  const out = path.join(space.home, `zsh-${crypto.randomUUID()}`)
  await space.write(out, "")
  await run(["zsh", "-f", file("zsh.zsh"), line, file("zsh-child.zsh")], { OUT: out })
  return await space.read(out)
}

async function askFish(line: string, run: Run): Promise<string> {
  const offers = await run(["fish", "--no-config", "-c", `source $SCRIPT; complete -C "$LINE"`], { LINE: line })
  return offers.replaceAll(/\t.*/g, "")
}

async function output(argv: string[], cwd: string, env: Record<string, string>): Promise<string> {
  const [program = "", ...args] = argv
  const found = Bun.which(program, { PATH: env["PATH"] ?? "" })
  if (!found) throw new Error(`${program} is not installed`)
  const child = Bun.spawn([found, ...args], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (err !== "") throw new Error(`${program} ended with ${code}: ${err}`)
  return out
}
