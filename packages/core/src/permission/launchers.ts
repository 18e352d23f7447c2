import { setsConfig } from "./git-roles.ts"
import { patternless } from "./pattern-words.ts"

/** Words that are syntax when they stand where a command is expected. */
export const reservedWords: ReadonlySet<string> = new Set(
  "if then else elif fi for while until do done case esac select function time coproc in { } [[ ]] !".split(" "),
)

/** Commands that run another one, or change what later ones mean: their arguments are not what will happen. */
export const launchers: ReadonlyMap<string, string> = new Map([
  ...each("it runs the command in its arguments", [
    ..."env command builtin exec nohup nice ionice time timeout stdbuf setsid chroot chrt taskset".split(" "),
    ..."sudo doas su runuser pkexec xargs parallel busybox toybox script watch entr flock strace ltrace gdb".split(" "),
    ..."unshare nsenter bwrap firejail systemd-run at batch crontab expect unbuffer rlwrap tmux screen".split(" "),
  ]),
  ...each("it runs a text as commands", ["eval", "source", ".", "trap", "mapfile", "readarray", "fc"]),
  ...each("it changes what later commands mean", [
    ..."alias unalias export unset declare typeset local readonly set shopt enable hash let read".split(" "),
    ..."pushd popd dirs".split(" "),
  ]),
  ...each("it runs a command elsewhere", ["ssh", "mosh", "rsh", "telnet", "scp", "sftp", "rsync"]),
])

function each(reason: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [name, reason])
}

const shells = "sh bash zsh dash ash ksh mksh fish csh tcsh pwsh powershell".split(" ")
const interpreters =
  "python python2 python3 pypy pypy3 node nodejs bun deno ruby perl php lua luajit Rscript osascript tclsh wish".split(
    " ",
  )

/** Runs of a program that reach another one, by the arguments. One line of reason each; the first that fits counts. */
interface Hatch {
  readonly commands: readonly string[]
  readonly reason: string
  readonly opens: (args: readonly string[]) => boolean
}

const leading = (args: readonly string[]) => {
  const end = args.findIndex((arg) => !arg.startsWith("-") || arg === "-")
  return end < 0 ? args : args.slice(0, end + (args[end] === "-" ? 1 : 0))
}
/** Also by a beginning of the option, as GNU programs and git take it. */
const starts = (args: readonly string[], ...flags: string[]) =>
  args.some((arg) => {
    const [name = ""] = arg.split("=", 1)
    return name.length > 2 && flags.some((flag) => flag.startsWith(name))
  })

export const hatches: readonly Hatch[] = [
  {
    commands: shells,
    reason: "the shell runs a text or its input",
    opens: (args) =>
      args.length === 0 ||
      leading(args).length === args.length ||
      leading(args).some((arg) => /^-\w*[cs]|^-$|^\+|^--(?:rcfile|init-file|command)/.test(arg)),
  },
  {
    commands: interpreters,
    reason: "the interpreter runs a text or its input",
    opens: (args) =>
      args.length === 0 ||
      args[0] === "eval" ||
      args[0] === "repl" ||
      leading(args).some((arg) => /^-(?!-)\w*[ceEprR]|^-$|^--(?:eval|print|require|import|loader|run)/.test(arg)),
  },
  {
    commands: ["git"],
    reason: "git can be told to run a program here",
    opens: (args) => {
      const globals = gitGlobals(args)
      const [subcommand, ...rest] = args.slice(globals.length)
      if (globals.some((arg) => /^-c|^--config-env|^--exec-path=|^--(?:git-dir|work-tree)/.test(arg))) return true
      if (
        starts(
          rest,
          "--exec",
          "--upload-pack",
          "--receive-pack",
          "--open-files-in-pager",
          "--ext-diff",
          "--textconv",
          "--tool",
          "--extcmd",
          "--template",
          "--gpg-program",
        )
      )
        return true
      if (subcommand === "rebase" && rest.some((arg) => /^-(?!-)\w*x/.test(arg))) return true
      if (subcommand === "grep" && rest.some((arg) => /^-(?!-)\w*O/.test(arg))) return true
      if (subcommand === "config") return setsConfig(rest)
      if (subcommand === "clone" && (rest.some((arg) => /^-(?!-)\w*[cu]/.test(arg)) || starts(rest, "--config")))
        return true
      // What these write stands in a file, a stream or a mail.
      if (subcommand === "apply") return !rest.some((arg) => /^--(?:check|stat|numstat|summary)$/.test(arg))
      if (subcommand === "am" || subcommand === "fast-import") return true
      if (subcommand === "bisect") return rest[0] === "run"
      if (subcommand === "submodule") return rest.includes("foreach")
      return ["filter-branch", "difftool", "mergetool", "daemon", "http-backend", "shell"].includes(subcommand ?? "")
    },
  },
  {
    commands: ["find", "gfind"],
    reason: "find runs a command or deletes",
    opens: (args) => args.some((arg) => /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/.test(arg)),
  },
  {
    commands: ["fd", "fdfind"],
    reason: "fd runs a command",
    opens: (args) => args.some((arg) => /^-(?!-)\w*[xX]|^--exec/.test(arg)),
  },
  {
    commands: ["awk", "gawk", "mawk", "nawk"],
    reason: "the awk program can run commands or write files",
    opens: (args) => args.some((arg) => /system|getline|[|>]|^@|^-[filE]|^--(?:file|include|load|exec)/.test(arg)),
  },
  {
    commands: ["sed", "gsed"],
    reason: "the sed script can run commands or write files",
    opens: (args) => args.some((arg) => /^-(?!-)\w*f|^--f/.test(arg)) || sedScripts(args).some(sedOpens),
  },
  {
    commands: ["tar", "bsdtar", "gtar"],
    reason: "tar can be told to run a program",
    opens: (args) =>
      args.some((arg) => /^-(?!-)\w*[IF]/.test(arg)) ||
      starts(
        args,
        ...["--checkpoint-action", "--to-command", "--use-compress-program", "--info-script", "--new-volume-script"],
        ...["--rsh-command", "--rmt-command"],
      ),
  },
  { commands: ["rg"], reason: "rg runs a filter", opens: (args) => starts(args, "--pre", "--hostname-bin") },
  { commands: ["sort"], reason: "sort runs a compressor", opens: (args) => starts(args, "--compress-program") },
  {
    commands: ["npm", "pnpm", "yarn"],
    reason: "the script's shell is replaced",
    opens: (args) => starts(args, "--script-shell", "--node-options"),
  },
  {
    commands: ["man", "less", "more", "vi", "vim", "nvim", "emacs", "ed", "ex", "nano"],
    reason: "a pager or editor can run commands",
    opens: () => true,
  },
  {
    commands: ["docker", "podman"],
    reason: "a container can reach the whole disk",
    opens: (args) => args.some((arg) => /^(?:-v|--volume|--mount|--privileged)/.test(arg)),
  },
  {
    commands: ["make", "gmake"],
    reason: "make takes a text as its rules",
    opens: (args) => args.some((arg) => /^--eval|^(?:SHELL|MAKEFLAGS)=/.test(arg)),
  },
  {
    commands: ["patch"],
    reason: "the patch says what is changed",
    opens: (args) => args.every((arg) => arg.startsWith("-") || /^\d+$/.test(arg)),
  },
  { commands: ["printf"], reason: "printf sets a variable", opens: (args) => args[0] === "-v" },
]

/** The scripts among the arguments of sed. */
function sedScripts(args: readonly string[]): string[] {
  const words = args.map((value) => ({ raw: value, value, glob: false, tilde: false, plain: true }))
  const others = new Set(patternless("sed", words))
  const scripts = words.filter((word) => !others.has(word) || /^-(?!-)\w*e./.test(word.value))
  return scripts.map(({ value }) => value.replace(/^-(?!-)[a-zA-Z]*?e|^--[a-z]+=/, ""))
}

/** Does a sed script run a command (`e`) or write a file (`w`), as a command or as a flag of `s`? */
function sedOpens(script: string): boolean {
  let opens = false
  const rest = script
    .replaceAll(/(^|[;{}\n,]\s*)\/(?:\\[\s\S]|[^\\/])*\//g, "$1@")
    .replaceAll(
      /(^|[@;{}\n\d$!IM,]\s*)([sy])([^\w\s;\\])(?:\\[\s\S]|(?!\3)[^\\])*\3(?:\\[\s\S]|(?!\3)[^\\])*\3(\w*)/g,
      (_, lead: string, command: string, _delimiter: string, flags: string) => {
        opens ||= command === "s" && /[ewW]/.test(flags)
        return lead
      },
    )
  return opens || /(?:^|[@;{}\n\d$!IM,])\s*[ewW]/.test(rest)
}

function gitGlobals(args: readonly string[]): readonly string[] {
  let end = 0
  while (args[end]?.startsWith("-"))
    end += ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"].includes(
      args[end]!,
    )
      ? 2
      : 1
  return args.slice(0, end)
}

/** Only look: an argument that names a protected path is no change of it. Interpreters read the script they are given. */
export const readers: ReadonlySet<string> = new Set([
  ..."ls cat head tail wc grep egrep fgrep rg ag stat file diff cmp du tree nl od xxd hexdump md5sum sha1sum sha256sum".split(
    " ",
  ),
  ..."cd pwd echo test [ basename dirname realpath readlink which type jq yq less more bat git".split(" "),
  ..."strings cut tr paste join comm fold fmt column zcat zgrep gawk awk mawk nawk find fd fdfind source .".split(" "),
  ...shells,
  ...interpreters,
])

/** Of those, what looks at names only, never into a file. */
export const silent: ReadonlySet<string> = new Set(
  "ls stat tree file du cd pwd echo test [ basename dirname realpath readlink which type find gfind fd fdfind".split(
    " ",
  ),
)

/** What cannot be taken back. Never offered as a pattern for `always`. */
export function isDestructive(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv
  const command = name.slice(name.lastIndexOf("/") + 1)
  if (
    [
      "rm",
      "rmdir",
      "unlink",
      "shred",
      "dd",
      "truncate",
      "wipefs",
      "mkswap",
      "fdisk",
      "kill",
      "pkill",
      "killall",
      "shutdown",
      "reboot",
    ].includes(command)
  )
    return true
  if (command.startsWith("mkfs")) return true
  if (["chmod", "chown", "chgrp", "mv"].includes(command)) return true
  if (command !== "git") return false
  const [subcommand = "", ...rest] = args.slice(gitGlobals(args).length)
  if (subcommand === "clean") return true
  if (subcommand === "reset") return rest.includes("--hard")
  if (subcommand === "push")
    return rest.some((arg) => /^-(?!-)\w*[fd]|^--(?:force|delete|mirror|prune)|^[+:]/.test(arg))
  if (subcommand === "branch") return rest.some((arg) => /^-(?!-)\w*[DdMf]|^--(?:delete|force)/.test(arg))
  if (subcommand === "stash") return rest[0] === "drop" || rest[0] === "clear"
  return subcommand === "checkout" || subcommand === "restore"
}
