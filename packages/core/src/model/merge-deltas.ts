/**
 * Events of a stream, one behind the other, with those made one that differ in nothing but the text they add: what waits
 * in one read is then one piece of text, not a hundred, and each piece costs the package 20 µs. Each event is whole and
 * ends with an empty line; `start` (global) matches up to the first character of the text that an event adds. Texts are
 * JSON strings and stay as they were written. Services that number their events or pad them leave nothing to merge.
 */
export function mergeDeltas(events: string, start: RegExp): string {
  if (events.indexOf("\n\n") === events.length - 2 || events.includes("\r")) return events
  let merged = ""
  for (let at = 0; ;) {
    start.lastIndex = at
    const found = start.exec(events)
    if (!found) return at === 0 ? events : merged + events.slice(at)
    const text = found.index + found[0].length
    const end = endOfString(events, text)
    const next = events.indexOf("\n\n", end) + 2
    if (end < 0 || next < 2) return at === 0 ? events : merged + events.slice(at)
    const before = events.lastIndexOf("\n\n", found.index)
    const first = before < at ? at : before + 2
    const [head, rest] = [events.slice(first, text), events.slice(end, next)]
    merged += events.slice(at, end)
    at = next
    for (;;) {
      const more = at + head.length
      const close = events.startsWith(head, at) ? endOfString(events, more) : -1
      if (close < 0 || !events.startsWith(rest, close)) break
      merged += events.slice(more, close)
      at = close + rest.length
    }
    merged += rest
  }
}

/** Where the quote stands that ends a JSON string; negative when none does. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (before > from && text[before - 1] === "\\") before--
    if ((quote - before) % 2 === 0) return quote
  }
  return -1
}
