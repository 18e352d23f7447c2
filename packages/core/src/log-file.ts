import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { LogSink } from "@cairn/kernel/log"

/** A log file that grew beyond this is renamed to `<file>.1` when it is opened. Bytes. */
const largest = 5 * 1024 * 1024

/**
 * Appends lines to a file (0600), opened at the first line. A log that cannot be written must not stop the work: lines
 * are then dropped, and `failed` says so.
 */
export function fileSink(file: string): LogSink & Disposable & { readonly failed: boolean } {
  let fd: number | undefined
  let failed = false
  const open = (): number => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const opened = openSync(file, "a", 0o600)
    if (fstatSync(opened).size <= largest) return opened
    closeSync(opened)
    renameSync(file, `${file}.1`)
    return openSync(file, "a", 0o600)
  }
  return {
    write(line) {
      if (failed) return
      try {
        fd ??= open()
        writeSync(fd, `${line}\n`)
      } catch {
        failed = true // there is nowhere left to say it, except to who asks
      }
    },
    get failed() {
      return failed
    },
    [Symbol.dispose]() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}
