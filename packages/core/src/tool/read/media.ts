/** The kind of a picture or document that some models take, told by its first bytes. */
export function mediaType(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 16)).toString("latin1")
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif"
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp"
  return text.startsWith("%PDF-") ? "application/pdf" : undefined
}

/** How to get at a binary file without attaching it. `path` is shown as an argument of a command. */
export function binaryAdvice(mime: string | undefined, path: string): string {
  const file = `'${path.replaceAll("'", `'\\''`)}'`
  if (mime === "application/pdf") return `To get its text run \`pdftotext ${file} -\`.`
  if (mime?.startsWith("image/")) return `To see what it is run \`file ${file}\`.`
  return `To look at it run \`file ${file}\`, \`xxd -l 256 ${file}\` or \`strings ${file} | head\`.`
}
