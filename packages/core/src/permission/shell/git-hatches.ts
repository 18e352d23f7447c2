import { gitParts } from "./git-globals.ts"
import { setsConfig } from "./git-roles.ts"
import type { Hatch } from "./hatch.ts"

type Test = (rest: readonly string[], globals: readonly string[]) => boolean

const row = (reason: string, example: string, subcommands: string, opens: Test): Hatch => {
  const names = subcommands === "*" ? undefined : new Set(subcommands.split(" "))
  return {
    commands: ["git"],
    reason,
    example,
    opens: (args) => {
      const { globals, subcommand, rest } = gitParts(args)
      return (!names || names.has(subcommand)) && opens(rest, globals)
    },
  }
}

const starts =
  (...flags: string[]): Test =>
  (rest) =>
    rest.some((arg) => {
      const [name = ""] = arg.split("=", 1)
      return name.length > 2 && flags.some((flag) => flag.startsWith(name))
    })
const short =
  (letters: string): Test =>
  (rest) =>
    rest.some((arg) => new RegExp(`^-(?!-)\\w*[${letters}]`).test(arg))
const always: Test = () => true

/** Every way known by which a call of git starts another program, or changes what one will start. */
export const gitHatches: readonly Hatch[] = [
  row("a setting for this call can name a program", "git -c alias.x=!y x", "*", (_, globals) =>
    globals.some((arg) => arg.startsWith("-c")),
  ),
  row("a setting for this call can name a program", "git --config-env=core.pager=X log", "*", (_, globals) =>
    globals.some((arg) => arg.startsWith("--config-env")),
  ),
  row("git's own programs are replaced", "git --exec-path=x status", "*", (_, globals) =>
    globals.some((arg) => arg.startsWith("--exec-path=")),
  ),
  row("another directory's settings can name a program", "git --git-dir=x status", "*", (_, globals) =>
    globals.some((arg) => /^--(?:git-dir|work-tree|bare|namespace|super-prefix)/.test(arg)),
  ),
  row("git starts the pager of its settings", "git -p log", "*", (_, globals) =>
    globals.some((arg) => /^-p$|^--paginate$/.test(arg)),
  ),
  row("git runs the program", "git fetch --upload-pack=x y", "*", starts("--upload-pack", "--receive-pack")),
  row("git runs the command", "git rebase --exec x", "*", starts("--exec")),
  row("git runs the command", "git rebase -x y z", "rebase", short("x")),
  row("git runs the pager", "git grep -O x", "grep", short("O")),
  row("git runs the pager", "git grep --open-files-in-pager=x y", "*", starts("--open-files-in-pager")),
  row(
    "git runs the filters of its settings",
    "git diff --ext-diff",
    "*",
    starts("--ext-diff", "--textconv", "--filters"),
  ),
  row("git runs the tool", "git difftool -x y", "difftool mergetool", always),
  row("git runs the tool", "git help -w x", "help web--browse instaweb gui citool gitk", (rest) => rest.length > 0),
  row("hooks come out of the template", "git init --template=x", "*", starts("--template")),
  row("git runs the program to sign", "git commit --gpg-program=x", "*", starts("--gpg-program")),
  row("the settings name what git runs", "git config alias.x '!y'", "config", (rest) => setsConfig(rest)),
  row("the clone's settings can name a program", "git clone -c x=y z", "clone", short("cu")),
  row(
    "the clone's settings can name a program",
    "git clone --config x=y z",
    "clone",
    starts("--config", "--separate-git-dir", "--reference"),
  ),
  row("git starts the program that the address names", "git clone 'ext::x' y", "*", (rest) =>
    rest.some((arg) => /(?:^|=)(?:ext|fd)::|^[a-z][\w+-]*::/.test(arg)),
  ),
  row("git takes an option out of the address", "git clone ssh://-oProxyCommand=x/y", "*", (rest) =>
    rest.some((arg) => /^\w+:\/\/(?:[^/@]*@)?-|^-[^@\s]*@|:\/\/[^/]*@?-o/.test(arg)),
  ),
  row(
    "the patch says what is changed",
    "git apply x",
    "apply",
    (rest) => !rest.some((arg) => /^--(?:check|stat|numstat|summary)$/.test(arg)),
  ),
  row(
    "the mails say what is changed",
    "git am x",
    "am",
    (rest) => !rest.some((arg) => /^--(?:abort|skip|continue|quit|show)/.test(arg)),
  ),
  row("the stream says what is changed", "git fast-import", "fast-import", always),
  row("git runs the command on every commit", "git bisect run x", "bisect", (rest) => rest[0] === "run"),
  row("git runs the command in every submodule", "git submodule foreach x", "submodule", (rest) =>
    rest.includes("foreach"),
  ),
  row("the commands come out of the filter", "git filter-branch x", "filter-branch filter-repo", always),
  row(
    "git serves others",
    "git daemon",
    "daemon http-backend shell upload-pack receive-pack upload-archive remote-ext remote-fd cvsserver",
    always,
  ),
  row("git sends mail by a program", "git send-email x", "send-email imap-send request-pull", always),
  row("the hooks run", "git hook run x", "hook", always),
  row("git follows the settings of another place", "git maintenance start", "maintenance", (rest) =>
    ["start", "register"].includes(rest[0] ?? ""),
  ),
  row("the attributes name a filter", "git check-attr --source=x", "check-attr", starts("--source")),
  row(
    "git talks to the helper of its settings",
    "git credential fill",
    "credential credential-store credential-cache",
    always,
  ),
  row(
    "git writes names that it does not check",
    "git update-index --index-info",
    "update-index",
    starts("--index-info", "--cacheinfo", "--fsmonitor", "--split-index"),
  ),
  row("git checks out what the tree says", "git read-tree -u x", "read-tree checkout-index", (rest) =>
    rest.some((arg) => /^-u$|^--prefix|^-f|^-a/.test(arg)),
  ),
  row(
    "git unpacks a bundle or an archive of another place",
    "git archive --remote=x y",
    "archive",
    starts("--remote", "--add-file"),
  ),
  row(
    "git starts another program of its own",
    "git svn x",
    "svn p4 cvsimport cvsexportcommit archimport quiltimport",
    always,
  ),
]
