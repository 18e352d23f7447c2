# Prints what bash offers for the command line whose words, as bash splits it, are the arguments.
source "$SCRIPT"
COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_cairn cairn "${COMP_WORDS[COMP_CWORD]}"
printf '%s\n' "${COMPREPLY[@]}"
