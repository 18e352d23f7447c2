# Types $1 and a tab into a real zsh on a terminal of its own; $2 is the script of that zsh.
zmodload zsh/zpty
zpty z "zsh -f -i"
zpty -w z "source $2"
zpty -r z line '*<READY>*'
zpty -w -n z "$1"$'\t'
zpty -r z line '*<END>*'
zpty -d z
