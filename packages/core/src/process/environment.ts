export type Environment = Readonly<Record<string, string>>

/** Never asks, never pages, never opens an editor, never paints: nobody sits in front of a child. */
const quiet: Environment = {
  CAIRN: "1",
  TERM: "dumb",
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
}

/** Ours and the original's own secrets; `_CONTENT` is a whole config, which may hold keys. */
const own = /^(CAIRN|OPENCODE)_(.*_)?(PASSWORD|TOKEN|KEY|SECRET|CONTENT)$/
/** Where our traces go, and by which key: nothing that a child does is part of them. */
const telemetry = /^OTEL_/
/** Names in the catalogue's `env` lists that say where, not who (AWS_REGION, CLOUDFLARE_ACCOUNT_ID) are no secrets. */
const secretWord = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PAT|CREDENTIALS?)(_|$)/
/** What other programs need for their own work (gh, glab, aws, gcloud, wrangler, huggingface-cli …) although a provider lists it too. */
const shared = new Set([
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "CLOUDFLARE_API_KEY",
  "CLOUDFLARE_API_TOKEN",
  "DATABRICKS_TOKEN",
  "DIGITALOCEAN_ACCESS_TOKEN",
  "GITHUB_TOKEN",
  "GITLAB_TOKEN",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HF_TOKEN",
])

/**
 * The environment that children get: the user's, without model keys, our own secrets and where traces go, and quiet.
 * `secretNames` are the variables that hold provider keys (the catalogue's `env`, and those config names).
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  secretNames: Iterable<string> = [],
): Environment {
  const secret = new Set<string>()
  for (const name of secretNames) if (secretWord.test(name) && !shared.has(name)) secret.add(name)
  const child: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || secret.has(name) || own.test(name) || telemetry.test(name)) continue
    child[name] = value
  }
  return { ...child, ...quiet }
}
