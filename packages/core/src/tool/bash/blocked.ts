import { resolve } from "node:path"
import { contains, type SandboxBounds } from "../../process/sandbox/bounds.ts"
import type { ProtectedPlace } from "../../workspace/protected-places.ts"

interface Blocked {
  readonly bounds: SandboxBounds
  readonly fixed: readonly ProtectedPlace[]
  readonly readOnly: boolean
  readonly cwd: string
  readonly network: boolean
}

const unwritable = /Read-only file system|EROFS|Device or resource busy|EBUSY/i
const unreadable =
  /No such file or directory|ENOENT|Permission denied|EACCES|Operation not permitted|cannot connect|connection refused|failed to connect/i
const keyless =
  /Permission denied \(publickey|Could not open a connection to your authentication agent|no SSH_AUTH_SOCK/i
const offline =
  /Network is unreachable|ENETUNREACH|Could not resolve host|name resolution|EAI_AGAIN|getaddrinfo|Name or service not known/i

/** Which rule of the sandbox stopped a failed command, as far as its output says so. */
export function blockedBy(output: string, { bounds, fixed, readOnly, cwd, network }: Blocked): string | undefined {
  const lines = output.slice(-20_000).split("\n")
  const paths = (pattern: RegExp) =>
    lines.filter((line) => pattern.test(line)).flatMap((line) => wordsOf(line).map((word) => resolve(cwd, word)))
  const rule = () => {
    const line = lines.find((one) => unwritable.test(one))
    if (line !== undefined) {
      const named = paths(unwritable)
      const place = fixed.find(({ path }) => named.some((one) => contains(path, one) || contains(one, path)))
      if (place) return `${place.path} is protected: ${place.row.reason}`
      if (readOnly) return "this agent may look, and change nothing but temporary files"
      return "only the project, temporary files and the caches of package managers may be written"
    }
    const hidden = bounds.layers.filter(({ access }) => access === "hidden")
    const named = paths(unreadable)
    const secret = hidden.find(({ path }) => named.some((one) => contains(path, one)))
    if (secret) return `${secret.path} is hidden from commands that it does not belong to`
    if (lines.some((one) => keyless.test(one)))
      return "keys and their agents are hidden but from a line that runs nothing besides the program they belong to"
    if (!network && lines.some((one) => offline.test(one))) return "sandbox.network is off"
    return undefined
  }
  const found = rule()
  if (found === undefined) return undefined
  const way = readOnly ? "" : " If it is needed, `outside: true` asks the user to run it without the sandbox."
  return `[the sandbox stopped this: ${found}.${way}]`
}

const wordsOf = (line: string): string[] =>
  line
    .split(/[\s'"‘’`,;()]+|:(?=\s|$)/)
    .filter((word) => word !== "")
    .slice(0, 100)
