import type * as Ffi from "bun:ffi"

/** Calls of the C library for which the runtime has none. -1 is a failure. */
export interface Libc {
  pipe2(pair: Int32Array, flags: number): number
  fcntl(descriptor: number, command: number, value: number): number
}

const libraries = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]
/** Loads the library with the first call and keeps it. */
export function lazyLibc(): () => Libc | undefined {
  let loaded: { readonly libc: Libc | undefined } | undefined
  return () => (loaded ??= { libc: loadLibc() }).libc
}

/** Undefined where there is none, and on systems that are not Linux. Costs about a millisecond. */
function loadLibc(): Libc | undefined {
  if (process.platform !== "linux") return undefined
  const ffi = process.getBuiltinModule("bun:ffi") as typeof Ffi | undefined
  for (const name of libraries) {
    try {
      const library = ffi?.dlopen(name, {
        pipe2: { args: ["ptr", "int"], returns: "int" },
        fcntl: { args: ["int", "int", "int"], returns: "int" },
      })
      return library?.symbols
    } catch {
      // Another C library: the next name.
      continue
    }
  }
  return undefined
}
