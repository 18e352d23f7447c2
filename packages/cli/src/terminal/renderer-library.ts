import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { xdgPaths } from "@cairn/core/config/paths"
import { type Embedded, unpack } from "@cairn/core/process/embedded"
import { findHome } from "@cairn/core/workspace/user-home"

/**
 * Path of the terminal interface's native library in the executable: the system loads only files, so there is a copy in
 * the cache, else in the temporary directory. `script/build.ts` puts a call of this in place of the renderer's own
 * package, which would leave another copy behind at every start. Throws with the reasons when no directory will do.
 */
export function rendererLibrary(file: Embedded): string {
  const temporary = join(tmpdir(), `cairn-${process.getuid?.() ?? userInfo().username}`)
  const home = findHome()
  const places = home === undefined ? [temporary] : [xdgPaths(process.env, home).cacheDir, temporary]
  const found = unpack(
    file,
    places.map((place) => join(place, "bin")),
  )
  if (found.ok) return found.value
  throw new Error(`The terminal interface's library could not be unpacked. ${found.error.reasons.join("; ")}`)
}
