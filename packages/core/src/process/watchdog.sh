# Reads "+pid" and "-pid" lines: sessions of children that live. The end of input means that Cairn is gone; what it
# left behind is ended. Only shell built-ins until then, so that it costs next to nothing.
groups=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups ${line#+}" ;;
    -*)
      kept=
      for group in $groups; do [ "$group" = "${line#-}" ] || kept="$kept $group"; done
      groups=$kept
      ;;
  esac
done
[ -n "$groups" ] || exit 0
send() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } || continue
    set -- "$1" ${line##*) }
    for group in $groups; do
      [ "$5" = "$group" ] || continue
      pid=${stat#/proc/}
      kill -s "$1" "${pid%/stat}"
    done
  done
}
send TERM 2>/dev/null
sleep 1
send KILL 2>/dev/null
