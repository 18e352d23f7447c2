/** Every provider of pictures takes these: base64 characters, and pixels of a side. */
const largestData = 5 * 1024 * 1024
const longestSide = 8_000

/**
 * Why a provider would refuse a picture for its size; undefined when nothing speaks against it, or it is none. Whether it
 * is whole is for the provider to say: what it refuses is left out from then on.
 */
export function pictureProblem(mime: string, base64: string): string | undefined {
  if (!mime.startsWith("image/")) return undefined
  if (base64.length > largestData)
    return "it is larger than the 5 MB that a picture may have as base64; make it smaller"
  const bytes = Buffer.from(base64, "base64")
  const [width, height] = sizeOf(mime, bytes) ?? [1, 1]
  if (Math.max(width, height) <= longestSide) return undefined
  return `it is ${width} x ${height} pixels, and a side may have ${longestSide}; make it smaller`
}

function sizeOf(mime: string, bytes: Buffer): readonly [number, number] | undefined {
  if (bytes.length < 24) return undefined
  if (mime === "image/png") return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (mime === "image/gif") return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  return mime === "image/jpeg" ? jpegSize(bytes) : undefined
}

/** From the first frame header. */
function jpegSize(bytes: Buffer): readonly [number, number] | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  }
  return undefined
}
