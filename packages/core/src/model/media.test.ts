import { expect, test } from "bun:test"
import { takesMedia } from "./media.ts"

test.each<[string, boolean, boolean, boolean]>([
  ["image/png", true, false, true],
  ["image/webp", true, false, true],
  ["image/png", false, true, false],
  ["image/tiff", true, true, false],
  ["image/svg+xml", true, true, false],
  ["application/pdf", true, false, false],
  ["application/pdf", false, true, true],
  ["video/mp4", true, true, false],
  ["", true, true, false],
])("%s to a model of pictures %p, documents %p: %p", (mime, image, pdf, takes) => {
  expect(takesMedia({ image, pdf }, mime)).toBe(takes)
})
