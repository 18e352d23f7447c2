import { expect, test } from "bun:test"
import { pictureProblem } from "./picture-problem.ts"

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const png = (width: number, height: number) => {
  const made = Buffer.from(dot)
  made.writeUInt32BE(width, 16)
  made.writeUInt32BE(height, 20)
  return made
}
const gif = (width: number) =>
  Buffer.concat([Buffer.from("GIF89a"), Buffer.from([width & 255, width >> 8, 1, 0, 0, 0, 0, 59]), Buffer.alloc(16)])
const jpeg = (width: number, end = [0xff, 0xd9]) =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0],
    ...[0xff, 0xc0, 0, 11, 8, 0, 1, width >> 8, width & 255],
    ...end,
    ...Array.from({ length: 16 }, () => 0),
  ])
const webp = (length: number) => {
  const made = Buffer.from("RIFF____WEBPVP8 ____")
  made.writeUInt32LE(length, 4)
  return made
}

test.each<[string, string, Buffer, RegExp | undefined]>([
  ["a good PNG", "image/png", dot, undefined],
  ["a PNG as long as may be", "image/png", png(8_000, 8_000), undefined],
  ["a PNG that is too wide", "image/png", png(8_001, 1), /8001 x 1 pixels/],
  ["a PNG that is too high", "image/png", png(1, 9_000), /1 x 9000 pixels/],
  ["half a PNG", "image/png", dot.subarray(0, 50), undefined],
  ["the head of a PNG", "image/png", dot.subarray(0, 8), undefined],
  ["a good GIF", "image/gif", gif(10), undefined],
  ["a GIF that is too wide", "image/gif", gif(9_000), /9000 x 1/],
  ["the head of a GIF", "image/gif", gif(1).subarray(0, 6), undefined],
  ["a good JPEG", "image/jpeg", jpeg(10), undefined],
  ["a JPEG that is too wide", "image/jpeg", jpeg(9_000), /9000 x 1/],
  ["half a JPEG", "image/jpeg", jpeg(10, []), undefined],
  ["a good WebP", "image/webp", webp(12), undefined],
  ["half a WebP", "image/webp", webp(4_000), undefined],
  ["too much", "image/png", Buffer.concat([dot, Buffer.alloc(4 * 1024 * 1024)]), /5 MB/],
  ["a document", "application/pdf", Buffer.from("%PDF-"), undefined],
])("%s", (_, mime, bytes, problem) => {
  const said = pictureProblem(mime, bytes.toString("base64"))
  if (problem) expect(said).toMatch(problem)
  else expect(said).toBeUndefined()
})
