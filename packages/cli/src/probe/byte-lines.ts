/**
 * The lines of a stream of bytes, without their ends, those of one chunk together. The last needs no end. Undefined
 * stands for a line of more than `longest` bytes, which is not kept.
 */
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<(Uint8Array | undefined)[]> {
  let pieces: Uint8Array[] = []
  let size = 0
  const keep = (piece: Uint8Array) => {
    size += piece.length
    if (size > longest) pieces = []
    else if (piece.length > 0) pieces.push(piece)
  }
  const take = () => {
    const line = size > longest ? undefined : Buffer.concat(pieces)
    pieces = []
    size = 0
    return line
  }
  for await (const chunk of chunks) {
    const lines: (Uint8Array | undefined)[] = []
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end))
      lines.push(take())
      start = end + 1
    }
    keep(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (size > 0) yield [take()]
}
