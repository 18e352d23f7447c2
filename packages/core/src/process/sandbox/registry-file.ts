import { readFileSync } from "node:fs"
import { basename } from "node:path"

const names: ReadonlySet<string> = new Set([".npmrc", ".yarnrc", ".yarnrc.yml"])
const token = /_auth|_password|authToken|authIdent/i
/** Only this registry, which has what most projects need without a key. */
const usual = /^(?:\/\/registry\.(?:npmjs\.org|yarnpkg\.com)\/|_auth|npmAuthToken)/
const giving = / (?:publish|login|whoami)$/

/**
 * Is a file with the settings of a registry to be hidden from a line? It is more than a key: without it installing may
 * ask the wrong registry, or run what the user has turned off. With no key in it, it is shown to all; with nothing but a key for the
 * public registry, not even to who installs, for packages run programs then. Undefined for other files.
 */
export function hidesRegistryFile(path: string, programs: ReadonlySet<string>, owned: boolean): boolean | undefined {
  if (!names.has(basename(path))) return undefined
  const lines = linesOf(path)
  if (!lines?.some((line) => token.test(line))) return lines === undefined && !owned
  return !owned || ([...programs].every((program) => !giving.test(program)) && lines.every((line) => usual.test(line)))
}

function linesOf(path: string): string[] | undefined {
  try {
    return readFileSync(path, "utf8")
      .slice(0, 100_000)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => !/^(?:[#;]|$)/.test(line))
  } catch {
    return undefined
  }
}
