import path from "node:path"

/** What a copy of an embedded file is checked by. */
export async function facts(file: string): Promise<{ name: string; size: number; sha256: string }> {
  const content = await Bun.file(file).bytes()
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex")
  return { name: path.basename(file), size: content.length, sha256 }
}
