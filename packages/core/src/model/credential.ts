import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { reachOf } from "../net/address.ts"
import type { Env } from "../net/proxy.ts"

export interface Credential {
  readonly key: string | undefined
  /** `env:ANTHROPIC_API_KEY`, `config`, `auth` or `none`; safe to show. */
  readonly source: string
}

export interface CredentialInput {
  readonly providerID: string
  readonly providerName: string
  readonly baseURL: string
  /** Names that may hold the key, first one first. */
  readonly variables: readonly string[]
  readonly configured: string | undefined
  /** A key kept by `cairn auth`. */
  readonly stored: string | undefined
  /** Headers of the config carry the key. */
  readonly inHeaders: boolean
  readonly env: Env
}

/** Names in a provider's `env` that are addresses or accounts and not its key. */
const notKey = /_(ID|HOST|ACCOUNT|ACCOUNT_ID|URL|ENDPOINT|NAME|REGION|PROJECT|LOCATION)$/

export function keyVariables(env: readonly string[]): string[] {
  return env.filter((name) => !notKey.test(name))
}

/** The key for a provider: config, then what is stored, then the environment. Servers of this machine or network need none. */
export function findCredential(input: CredentialInput): Result<Credential, SetupError> {
  const { configured, stored, variables, env } = input
  const variable = variables.find((name) => env[name]?.trim())
  const found: [string | undefined, string] = configured?.trim()
    ? [configured, "config"]
    : stored?.trim()
      ? [stored, "auth"]
      : [variable && env[variable], variable ? `env:${variable}` : "none"]
  const key = found[0]?.trim()
  if (!key) {
    const open = reachOf(new URL(input.baseURL).hostname) !== "public" || input.inHeaders || variables.length === 0
    return open ? ok({ key: undefined, source: "none" }) : err(missingKey(input))
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    return err({
      kind: "key",
      message: `The key for ${input.providerName} (${found[1]}) contains spaces or characters that cannot be sent. Copy it again.`,
    })
  return ok({ key, source: found[1] })
}

function missingKey({ providerName, providerID, variables }: CredentialInput): SetupError {
  return {
    kind: "key",
    message:
      `No key for ${providerName}. Set ${variables.join(" or ")} in the environment, ` +
      `or provider.${providerID}.options.apiKey in the config (for example "{env:${variables[0]}}").`,
  }
}
