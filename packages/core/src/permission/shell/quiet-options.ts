/** Options of a tool in front of its subcommand that change nothing of what is done, but for where and how loudly. */
interface QuietRow {
  readonly tool: string
  readonly flags: string
  /** With a value, as the next word or behind `=`. */
  readonly valued: string
}

const row = (tool: string, flags: string, valued: string): QuietRow => ({ tool, flags, valued })

/** A rule for `kubectl get *` covers `kubectl get x -n y` by its `*`: the same option may stand in front. */
const rows: readonly QuietRow[] = [
  row("git", "--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --no-advice", "-C"),
  row("npm", "-s --silent -q --quiet", "--prefix -w --workspace --loglevel"),
  row("pnpm", "-r --recursive -s --silent -w --workspace-root", "-C --dir -F --filter"),
  row("yarn", "-s --silent", "--cwd"),
  row("cargo", "-q --quiet -v --verbose --locked --offline --frozen", "--color --manifest-path -C"),
  row("go", "", "-C"),
  row("make", "-s --silent -k --keep-going", "-C --directory -j"),
  row("uv", "-q --quiet -v --verbose --offline", "--directory --project --color"),
  row("docker compose", "--compatibility --dry-run", "-f --file -p --project-name --profile --project-directory"),
  row("kubectl", "", "-n --namespace --context --cluster --request-timeout"),
  row("helm", "", "-n --namespace --kube-context"),
  row("gh", "", "-R --repo"),
  row("terraform", "", "-chdir"),
  row("aws", "", "--profile --region --output"),
  row("gcloud", "--quiet -q", "--project --region --zone --format"),
]

const byTool = new Map(
  rows.map(({ tool, flags, valued }) => [
    tool,
    { flags: new Set(flags.split(" ")), valued: new Set(valued.split(" ")) },
  ]),
)

/** The words of a command without those options; itself when there are none. */
export function withoutQuietOptions(argv: readonly string[]): readonly string[] {
  const [name = "", second = ""] = argv
  const length = byTool.has(`${name} ${second}`) ? 2 : 1
  const known = byTool.get(argv.slice(0, length).join(" "))
  if (!known) return argv
  let at = length
  for (let text = argv[at]; text !== undefined; text = argv[at]) {
    const [option = ""] = text.split("=", 1)
    if (known.flags.has(text)) at++
    else if (known.valued.has(text) && argv.length > at + 1) at += 2
    else if (text.includes("=") && known.valued.has(option)) at++
    else break
  }
  return at === length ? argv : [...argv.slice(0, length), ...argv.slice(at)]
}
