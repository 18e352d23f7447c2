/**
 * Attributes of a file beside its mode, owner and times (access control lists, capabilities, tags). A copy
 * of the file would lose them.
 */
export interface Attributes {
  /** Names of those that matter; undefined when this system cannot be asked. */
  of(path: string): readonly string[] | undefined
}

// Set by the system itself on every file; a new file gets its own.
const automatic = new Set(["security.selinux", "com.apple.provenance", "com.apple.lastuseddate#PS", "system.data"])

const libraries: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
}

const longestList = 65_536

/** Asks the C library, since the runtime has no call for it. Costs about a millisecond, once. */
export async function loadAttributes(): Promise<Attributes> {
  const { dlopen } = await import("bun:ffi")
  const mac = process.platform === "darwin"
  for (const name of libraries[process.platform] ?? []) {
    try {
      const args = mac ? (["ptr", "ptr", "usize", "int"] as const) : (["ptr", "ptr", "usize"] as const)
      const { symbols } = dlopen(name, { listxattr: { args, returns: "i64" } })
      const list = symbols.listxattr as unknown as (...values: readonly unknown[]) => bigint | number
      return {
        of: (path) => read(path, (file, buffer) => Number(list(file, buffer, longestList, ...(mac ? [0] : [])))),
      }
    } catch {
      // Another C library: the next name.
      continue
    }
  }
  return { of: () => undefined }
}

function read(path: string, list: (path: Uint8Array, buffer: Uint8Array) => number): readonly string[] | undefined {
  const buffer = new Uint8Array(longestList)
  const length = list(Buffer.from(`${path}\0`), buffer)
  // Negative: the file system has none, or the list is longer than any sane one. The first is the usual case.
  if (length < 0) return []
  const names = Buffer.from(buffer.subarray(0, length)).toString("utf8").split("\0")
  return names.filter((name) => name !== "" && !automatic.has(name))
}
