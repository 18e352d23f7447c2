/** Only look: an argument that names a protected path is no change of it. Interpreters read the script they are given. */
export const readers: ReadonlySet<string> = new Set([
  ..."ls cat head tail wc grep egrep fgrep rg ag stat file diff cmp du tree nl od xxd hexdump md5sum sha1sum sha256sum".split(
    " ",
  ),
  ..."cd pwd echo test [ basename dirname realpath readlink which type jq yq less more bat git".split(" "),
  ..."strings cut tr paste join comm fold fmt column zcat zgrep gawk awk mawk nawk find fd fdfind source .".split(" "),
  ..."sh bash zsh dash ash ksh mksh fish python python2 python3 pypy pypy3 node nodejs bun deno ruby perl php lua luajit".split(
    " ",
  ),
])

/** Of those, what looks at names only, never into a file. */
export const silent: ReadonlySet<string> = new Set(
  "ls stat tree file du cd pwd echo test [ basename dirname realpath readlink which type find gfind fd fdfind".split(
    " ",
  ),
)
