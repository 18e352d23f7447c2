import type { ShellFacts } from "../../permission/shell/facts.ts"

/** Programs that change no file, whatever their arguments, as long as nothing is redirected. */
const quiet: ReadonlySet<string> = new Set([
  ..."cd pwd true false : [ [[ test echo printf type which whereis whoami id groups uname hostname arch nproc uptime".split(
    " ",
  ),
  ..."ls cat head tail wc stat file du df tree readlink realpath basename dirname nl tac od hexdump xxd strings".split(
    " ",
  ),
  ..."grep egrep fgrep rg cut tr diff cmp comm md5sum sha1sum sha256sum cksum jq date cal ps sleep seq expr".split(" "),
])
const quietGit: ReadonlySet<string> = new Set(
  "status log diff show blame rev-parse rev-list ls-files ls-tree cat-file describe shortlog grep name-rev merge-base".split(
    " ",
  ),
)
/** Arguments by which one of these writes or starts something after all. */
const loud = /^(?:--pre|--output|--ext-diff|--open-files-in-pager|-O|-o|--in-place|--hostname-bin)(?:[=\w]|$)/

/** Does a command line certainly change no file? What is not wholly known may. */
export function changesNothing({ invocations, writes, opaque }: ShellFacts): boolean {
  if (opaque !== undefined || writes.some((path) => path !== "/dev/null")) return false
  return invocations.every(({ basename, argv, dynamic, env, executable }) => {
    if (dynamic || executable.includes("/") || Object.keys(env).length > 0) return false
    const args = argv.slice(1)
    if (args.some((arg) => loud.test(arg))) return false
    return basename === "git" ? quietGit.has(args[0] ?? "") : quiet.has(basename)
  })
}
