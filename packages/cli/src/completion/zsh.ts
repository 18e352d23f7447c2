import type { Command } from "../argv/define.ts"
import { type CompletionSpec, flagNames, quoted, valueCases, wordCases } from "./spec.ts"

/** The script for zsh, to be sourced after `compinit` or put into `fpath` as `_cairn`. */
export function zshScript({ commands, singles, groups }: CompletionSpec): string {
  const summary = (name: string) => commands.find((command) => command.name === name)?.summary ?? ""
  const top = [
    ...singles.map((name) => described(name, summary(name))),
    ...groups.map((group) => described(group.name, group.summary)),
  ]
  const below = groups.map(
    (group) =>
      `    ${group.name}) found=(${group.commands.map((each) => described(each.name, each.summary)).join(" ")}) ;;`,
  )
  return `#compdef cairn
# Completion of cairn for zsh, written by: cairn completion zsh
# In ~/.zshrc, after compinit: source <(cairn completion zsh)

# What the value of flag $2 of command $1 is, in $kind; empty when it takes none.
_cairn_value() {
  case "$1 $2" in
${valueCases(commands).join("\n")}
    *) kind='' ;;
  esac
}

# What the words of command $1 are, in $kind.
_cairn_words() {
  case "$1" in
${wordCases(commands).join("\n")}
    *) kind='' ;;
  esac
}

_cairn_flags() {
  case "$1" in
${commands.map(flagCase).join("\n")}
    *) found=('--help:Show help') ;;
  esac
}

_cairn_group() {
  case "$1" in
${below.join("\n")}
    *) found=() ;;
  esac
}

_cairn() {
  local command='' kind='' dir='' ended='' value word
  local -i i at=2
  local -a found values shown
  [[ $words[2] == help ]] && (( CURRENT > 2 )) && at=3

  _cairn_group "$words[at]"
  if (( CURRENT == at )); then
    found=(${top.join(" ")})
    (( at == 2 )) && found+=('help:Show help of a command' '--help:Show help' '--version:Show the version')
    _describe -t commands command found
    return
  elif (( $#found && CURRENT == at + 1 )); then
    _describe -t commands command found
    return
  elif (( at == 3 )); then
    return 1
  fi

  command=$words[2]
  i=3
  (( $#found )) && command+=" $words[3]" && i=4
  for (( ; i < CURRENT; i++ )); do
    word=$words[i]
    case $word in
      --) ended=1; break ;;
      -C=*|--dir=*) dir=\${word#*=} ;;
      -*=*) ;;
      -*)
        _cairn_value "$command" "$word"
        if [[ -n $kind ]] && (( i + 1 < CURRENT )); then
          (( i++ ))
          [[ $word == -C || $word == --dir ]] && dir=$words[i]
          kind=''
        fi
        ;;
    esac
  done
  if [[ -n $kind ]]; then
    :
  elif [[ -z $ended && $PREFIX == -*=* ]]; then
    _cairn_value "$command" "\${PREFIX%%=*}"
    compset -P 1 '*='
  elif [[ -z $ended && $PREFIX == -* ]]; then
    _cairn_flags "$command"
    _describe -t options flag found
    return
  else
    _cairn_words "$command"
  fi

  case $kind in
    words:*) compadd -- \${(s: :)kind#words:} ;;
    file) _files ;;
    directory) _files -/ ;;
    model|agent|session)
      for word in "\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete "$kind" "$PREFIX" "\${(Q)dir/#\\~/$HOME}" 2>/dev/null </dev/null)}"; do
        [[ -n $word ]] || continue
        values+=("\${word%%$'\\t'*}")
        shown+=("\${word/$'\\t'/  -- }")
      done
      compadd -V cairn -l -d shown -a values
      ;;
    *) return 1 ;;
  esac
}

if [[ \${funcstack[1]} == _cairn ]]; then
  _cairn "$@"
elif (( $+functions[compdef] )); then
  compdef _cairn cairn
fi
`
}

function flagCase({ name, flags }: Command): string {
  const rows = flags.flatMap((flag) => flagNames(flag).map((each) => described(each, flag.doc)))
  return `    ${quoted(name)}) found=(${[...rows, "'--help:Show help'"].join(" ")}) ;;`
}

/** `'name:what it is'`, as _describe takes it. */
function described(name: string, text: string): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${text}`)
}
