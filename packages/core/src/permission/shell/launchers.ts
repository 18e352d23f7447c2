import { hatches } from "./hatches.ts"
import { hasHole, hole, type Word } from "./syntax.ts"

/** Programs whose arguments are not what will happen, with the reason. */
export const launchers: ReadonlyMap<string, string> = new Map([
  ...each("it runs a text as commands", [
    ..."eval source . fc parallel concurrently watchexec sem expect npm-run-all run-s run-p mprocs overmind".split(" "),
    ..."foreman honcho screen tmux zellij at batch crontab nix-shell guix rush".split(" "),
    ..."ts tsp dtach abduco reptyr sg newgrp run-parts onchange chokidar chokidar-cli cargo-watch env-cmd".split(" "),
    ..."start-stop-daemon daemonize wireit lefthook husky xonsh".split(" "),
  ]),
  ...each("it runs a command with other surroundings", [
    ..."faketime eatmydata proxychains proxychains4 torsocks tsocks systemd-inhibit dbus-launch runcon chpst".split(
      " ",
    ),
    ..."setuidgid softlimit envdir envuidgid s6-setuidgid s6-softlimit s6-envdir cpulimit multitime gamemoderun".split(
      " ",
    ),
    ..."primusrun optirun prime-run mangohud waypipe xpra withexe trickle cgclassify pasuspender padsp aoss".split(" "),
  ]),
  ...each("it runs a command under its own control", ["gdb", "lldb", "rr", "perf", "coproc", "dbx", "cgexec"]),
  ...each("it changes what later commands mean", [
    ..."enable hash bind complete compgen compopt ulimit unalias setopt unsetopt emulate".split(" "),
  ]),
  ...each("it is a word of another shell", [
    ..."noglob nocorrect repeat foreach autoload zmodload always - and or not begin functions string".split(" "),
  ]),
  ...each("it runs a command elsewhere", [
    ..."ssh mosh rsh rlogin telnet scp sftp slogin autossh sshpass dropbear ansible pssh fab".split(" "),
    ..."ansible-playbook salt winrs psexec".split(" "),
  ]),
  ...each("it opens a program of the desktop", [
    ..."xdg-open open start gnome-open kde-open osascript xterm gnome-terminal wezterm".split(" "),
  ]),
  ...each("it can send and take anything over the network", ["nc", "ncat", "netcat", "socat", "cryptcat"]),
])

function each(reason: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [name, reason])
}

const shells: ReadonlySet<string> = new Set(
  "sh bash zsh dash ash ksh mksh rbash fish csh tcsh pwsh powershell nu elvish xonsh cmd".split(" "),
)
export const isShell = (command: string): boolean => shells.has(command)

/** Why these arguments make a program run another one, or what is not to be seen. */
export function hatchReason(command: string, args: readonly Word[]): string | undefined {
  const rows = hatches.filter((one) => one.commands.includes(plainName(command)))
  if (rows.length === 0) return undefined
  const values = args.map((word) => word.value)
  const hatch = rows.find((one) => one.opens(values))
  if (hatch) return hatch.reason
  if (!harmless.has(plainName(command)) && unknownOption(command, args))
    return "an argument that is only known when it runs"
  return undefined
}

/** `python3.12` is python3. */
const plainName = (command: string): string => {
  const text = command.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "")
  return /^(?:python|pypy|ruby|perl|lua|php|node)/.test(text)
    ? text.replace(/-?\d*\.[\d.]+$/, (end) => (end.startsWith("3.") ? "3" : ""))
    : text
}

/** Whatever an argument turns out to be, they only do what they are for: their hatches need a certain subcommand, or are rare. */
const harmless: ReadonlySet<string> = new Set(
  "wc du eslint prettier stylelint printf npm pnpm yarn mocha ava tap pre-commit kubectl oc gh aws gcloud az systemctl brew".split(
    " ",
  ),
)
/** Does it run the file it is given? */
export const runsScripts = (command: string): boolean => scripted.test(command)
const scripted = /^(?:python|pypy|node|bun|deno|ruby|perl|php|lua|tsx|ts-node)/
const containers: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl"])

/** Could an argument that is not known be an option? What follows an option that takes a value could not. */
function unknownOption(command: string, args: readonly Word[]): boolean {
  if (containers.has(command) && !args.some((word) => /^(?:run|create|compose|build|context)$/.test(word.value)))
    return false
  for (const [index, word] of args.entries()) {
    // What stands behind a script is the script's.
    if (scripted.test(command) && !word.value.startsWith("-") && !hasHole(word.value)) return false
    if (word.value === "--") return false
    if (!hasHole(word.value) || word.stands) continue
    if (!word.many && !word.value.startsWith(hole)) continue
    const before = args[index - 1]?.value ?? ""
    if (!word.many && /^(?:-[mFCbBotTenu]|--(?:message|file|branch|title|body|output|name|author|date))$/.test(before))
      continue
    return true
  }
  return false
}

/** Builtins that do nothing but steer the line. */
const free: ReadonlySet<string> = new Set(
  "cd pushd popd chdir true false : [ [[ test exit return break continue wait shift set export declare typeset local readonly unset let getopts".split(
    " ",
  ),
)
export const isFree = (command: string, args: readonly string[]): boolean => {
  if (command === "trap" || command === "alias") return true
  return free.has(command) && !(command === "set" && args.length === 0)
}

const listers: ReadonlySet<string> = new Set(["find", "gfind", "fd", "fdfind", "ls"])

/** Does it print names of files below where it looks, and nothing else? */
export function listsFiles(command: string, args: readonly Word[]): boolean {
  const values = args.map((word) => word.value)
  if (listers.has(command)) return !values.some((text) => /^-(?:printf|exec)/.test(text))
  if (command === "git")
    return (
      values[0] === "ls-files" ||
      (["diff", "grep"].includes(values[0] ?? "") &&
        values.some((text) => /^(?:--name-only|-l|--files-with-matches)$/.test(text)))
    )
  if (command === "rg")
    return values.some((text) => /^(?:--files|-l|--files-with-matches)$/.test(text)) && inside(values)
  return command === "grep" && values.some((text) => /^-[a-zA-Z]*[lL]/.test(text)) && inside(values)
}

const inside = (values: readonly string[]): boolean => !values.some((text) => /^[/~]|\.\./.test(text))

const passers: ReadonlySet<string> = new Set(["grep", "egrep", "head", "tail", "sort", "uniq", "tr"])

/** Does it print lines of its input and nothing else? */
export function passesOn(command: string, args: readonly Word[]): boolean {
  if (!passers.has(command)) return false
  const operands = args.filter((word) => !word.value.startsWith("-"))
  const most = command === "grep" || command === "egrep" ? 1 : command === "tr" ? 2 : 0
  if (command === "tr")
    return operands.length === 2 && /^\\n$/.test(operands[0]!.value) && /^\\0$|^ $/.test(operands[1]!.value)
  if (args.some((word) => /^-[ofrR]|^--(?:files|output|only)/.test(word.value))) return false
  return operands.filter((word) => !/^\d+$/.test(word.value)).length <= most
}
