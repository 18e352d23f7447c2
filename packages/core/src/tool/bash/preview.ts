const longest = 16_384

/** The end of a running command's output, for people to watch. Bounded; characters may be cut across chunks. */
export interface Preview {
  push(chunk: Uint8Array): void
  text(): string
}

export function createPreview(): Preview {
  const decoder = new TextDecoder()
  let text = ""
  return {
    push(chunk) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > longest * 2) text = text.slice(-longest)
    },
    text() {
      if (text.length <= longest) return text
      // Neither half a line nor half a surrogate pair at the beginning.
      const cut = text.slice(-longest)
      const line = cut.indexOf("\n")
      return `…\n${line >= 0 && line < longest / 2 ? cut.slice(line + 1) : cut.replace(/^[\udc00-\udfff]/, "")}`
    },
  }
}
