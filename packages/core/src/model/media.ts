import type { ModelCapabilities } from "./define.ts"

/** The kinds of pictures that every provider of pictures takes. */
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/** Whether a model takes files of a type. Of a picture in a rarer form a provider refuses the whole request. */
export function takesMedia({ image, pdf }: Pick<ModelCapabilities, "image" | "pdf">, mime: string): boolean {
  return mime === "application/pdf" ? pdf : image && pictures.has(mime)
}
