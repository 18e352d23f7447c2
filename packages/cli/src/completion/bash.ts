import { type CompletionSpec, flagNames, quoted, valueCases, wordCases } from "./spec.ts"

/** The script for bash 3.2 and later. It asks `cairn __complete` for what only the engine knows, everything else stands in it. */
export function bashScript({ commands, singles, groups }: CompletionSpec): string {
  const top = [...singles, ...groups.map(({ name }) => name)].join(" ")
  const below = groups.map(({ name, commands: tails }) => `    ${name}) words=${quoted(names(tails))} ;;`)
  const flags = commands.map(
    ({ name, flags: own }) =>
      `    ${quoted(name)}) words=${quoted([...own.flatMap(flagNames), "--help"].join(" "))} ;;`,
  )
  return `# Completion of cairn for bash, written by: cairn completion bash
# In ~/.bashrc: source <(cairn completion bash)

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
${flags.join("\n")}
    *) words='--help' ;;
  esac
}

_cairn_group() {
  case "$1" in
${below.join("\n")}
    *) words='' ;;
  esac
}

_cairn() {
  local line=$COMP_LINE rest word program raw cur prefix command='' kind='' words='' dir='' ended='' stem='' value
  local i n=0 at=1
  local -a given
  COMPREPLY=()
  # Bash takes words apart at : and =; here they are whole again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    rest=\${line#"\${line%%[![:space:]]*}"}
    if ((i == 0)) || [[ $rest != "$line" ]]; then
      given[n++]=$word
    else
      given[n - 1]+=$word
    fi
    line=\${rest#"$word"}
  done
  program=\${given[0]/#\\~/$HOME}
  cur=\${given[n - 1]}
  raw=\${COMP_WORDS[COMP_CWORD]}
  [[ $raw == [=:] ]] && raw=''
  prefix=\${cur%"$raw"}
  [[ \${given[1]} == help && n -gt 2 ]] && at=2

  _cairn_group "\${given[at]}"
  if ((n == at + 1)); then
    words='${top}'
    ((at == 1)) && words+=' help --help --version'
  elif [[ -n $words ]] && ((n == at + 2)); then
    :
  elif ((at == 2)); then
    return
  else
    command=\${given[1]}
    ((i = 2))
    [[ -n $words ]] && command+=" \${given[2]}" && i=3
    words=''
    for (( ; i < n - 1; i++)); do
      word=\${given[i]}
      case $word in
        --) ended=1 && break ;;
        -C=* | --dir=*) dir=\${word#*=} ;;
        -*=*) ;;
        -*)
          _cairn_value "$command" "$word"
          if [[ -n $kind ]] && ((i + 1 < n - 1)); then
            ((i++))
            [[ $word == -C || $word == --dir ]] && dir=\${given[i]}
            kind=''
          fi
          ;;
      esac
    done
    value=$cur
    if [[ -n $kind ]]; then
      :
    elif [[ -z $ended && $cur == -*=* ]]; then
      _cairn_value "$command" "\${cur%%=*}"
      stem=\${cur%%=*}=
      value=\${cur#*=}
    elif [[ -z $ended && $cur == -* ]]; then
      _cairn_flags "$command"
    else
      _cairn_words "$command"
    fi
  fi

  local found=''
  case $kind in
    words:*) found=$(compgen -W "\${kind#words:}" -- "$value") ;;
    file)
      found=$(compgen -f -- "$value")
      compopt -o filenames 2>/dev/null
      ;;
    directory)
      found=$(compgen -d -- "$value")
      compopt -o filenames 2>/dev/null
      ;;
    model | agent | session)
      found=$("$program" __complete "$kind" "$value" "\${dir/#\\~/$HOME}" 2>/dev/null </dev/null | cut -f 1)
      ;;
    *) found=$(compgen -W "$words" -- "$cur") ;;
  esac
  n=0
  while IFS= read -r word; do
    [[ -n $word ]] && word=$stem$word && COMPREPLY[n++]=\${word#"$prefix"}
  done <<<"$found"
}

complete -F _cairn cairn
`
}

function names(list: readonly { readonly name: string }[]): string {
  return list.map(({ name }) => name).join(" ")
}
