# An interactive zsh whose completions go to $OUT, one a line.
PS1= ; unsetopt prompt_sp prompt_cr beep
autoload -Uz compinit; compinit -u -D
source $SCRIPT
compadd() {
  local -a hits
  if [[ " ${@[1,(i)(-|--)]} " == *\ -[OAD]\ * ]]; then builtin compadd "$@"; return; fi
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $IPREFIX${^hits} >> $OUT
  builtin compadd "$@"
}
finished() { print -r -- "<""END"">" }
comppostfuncs=(finished)
print -r -- "<""READY"">"
