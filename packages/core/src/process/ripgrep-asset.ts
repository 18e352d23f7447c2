import type { Embedded } from "./embedded.ts"

/** The ripgrep inside the executable. Run from source there is none; `script/build.ts` puts other content in place of this file. */
export const ripgrepAsset: Embedded | undefined = undefined
