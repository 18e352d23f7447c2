const mark = "\ufeff"

/** A text apart from the byte order mark that it may begin with. */
export function splitMark(text: string): { readonly mark: string; readonly body: string } {
  return text.startsWith(mark) ? { mark, body: text.slice(1) } : { mark: "", body: text }
}

/**
 * The language counts U+FEFF as white space. Within a text it is a character like any other: so that it is neither passed
 * over nor copied as indentation, lines are compared with another one in its place.
 */
export function visibleMarks(line: string): string {
  return line.includes(mark) ? line.replaceAll(mark, "\ue000") : line
}
