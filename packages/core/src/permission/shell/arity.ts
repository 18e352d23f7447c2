/** How many words name what a command does; one where nothing stands here. The longest prefix counts. */
const words: ReadonlyMap<string, number> = new Map([
  ...count(2, "git npm pnpm yarn bun deno cargo go pip pip3 uv poetry docker podman kubectl helm gh brew apt apt-get"),
  ...count(
    2,
    "make just task terraform systemctl journalctl dotnet gradle ./gradlew mvn ./mvnw rake bundle composer php",
  ),
  ...count(
    2,
    "python python3 node nodejs ruby perl sh bash zsh npx bunx pnpx uvx tsc swift zig mix cmake dnf pacman nix",
  ),
  ...[
    "npm run",
    "pnpm run",
    "yarn run",
    "bun run",
    "bun x",
    "deno task",
    "docker compose",
    "docker container",
    "docker image",
    "git stash",
    "git remote",
    "git worktree",
    "git submodule",
    "git config",
    "gh pr",
    "gh issue",
    "gh repo",
    "gh run",
    "uv run",
    "uv pip",
    "poetry run",
    "python -m",
    "python3 -m",
    "cargo xtask",
    "bundle exec",
    "go tool",
    "go mod",
    "kubectl get",
    "kubectl describe",
    "npm exec",
    "pnpm exec",
    "dotnet tool",
    "nix run",
  ].map((prefix): [string, number] => [prefix, 3]),
])

function count(number: number, names: string): [string, number][] {
  return names.split(" ").map((name) => [name, number])
}

/** The words of a command that say what it does, or undefined when they are not plain (an option stands between). */
export function commandPrefix(argv: readonly string[]): readonly string[] | undefined {
  const first = argv[0] ?? ""
  const name = first.slice(first.lastIndexOf("/") + 1)
  const length = words.get(`${name} ${argv[1] ?? ""}`) ?? words.get(first) ?? words.get(name) ?? 1
  const prefix = argv.slice(0, length)
  const option = prefix.findIndex((word, index) => index > 0 && word.startsWith("-") && !(index === 1 && word === "-m"))
  return option < 0 ? prefix : undefined
}
