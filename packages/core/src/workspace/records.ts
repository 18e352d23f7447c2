/** A record, decoded as UTF-8. `cut`: it was longer than the limit and only its beginning is here. */
export type TakeRecord = (text: string, cut: boolean) => void

/** Cuts a byte stream into records at a separator, holding at most `limit` bytes. Call `end` for the last one. */
export function recordSplitter(separator: number, limit: number, take: TakeRecord) {
  const decoder = new TextDecoder()
  let held: Uint8Array[] = []
  let length = 0
  let cut = false

  const hold = (bytes: Uint8Array) => {
    const fits = bytes.subarray(0, limit - length)
    if (fits.length < bytes.length) cut = true
    if (fits.length > 0) held.push(fits)
    length += fits.length
  }
  const emit = () => {
    take(decoder.decode(held.length === 1 ? held[0] : Buffer.concat(held)), cut)
    held = []
    length = 0
    cut = false
  }
  return {
    push(chunk: Uint8Array): void {
      let from = 0
      for (let at = chunk.indexOf(separator); at >= 0; at = chunk.indexOf(separator, from)) {
        hold(chunk.subarray(from, at))
        emit()
        from = at + 1
      }
      if (from < chunk.length) hold(chunk.subarray(from))
    },
    end(): void {
      if (length > 0) emit()
    },
  }
}
