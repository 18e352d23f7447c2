const interpreter =
  "runs any program that is written on its command line or in a file, so no other rule about commands holds against it"
const shell = "is a shell: whatever it is given runs, so no other rule about commands holds against it"
const elevated = "runs any command as another user, or with other rights"
const launcher = "runs any command that it is given"
const fetched = "fetches a program and runs it"
const inProject = "runs any program of the project, which the agent may have written itself"
const withSecrets = "runs any command that it is given, and hands it secrets"
const remote = "runs commands on another machine"
const container = "runs containers, which may see and change the whole disk"
const cluster = "runs commands in a cluster"
const editor = "is an editor that can run any command by itself"
const database = "changes a database, and can run any command by itself"
const debugging = "runs any program under its own control"
const later = "runs any command later, when nobody watches"

/**
 * What allows everything when all its arguments are allowed (`name *`), each with the reason. Several words: the program
 * and its subcommand. Version numbers are left out (`python3.12` is `python`).
 */
export const riskyPrograms: ReadonlyMap<string, string> = new Map([
  ...rows(interpreter, [
    ..."python pypy ipython node nodejs bun deno ruby irb perl raku php lua luajit awk gawk mawk nawk osascript".split(
      " ",
    ),
    ..."tsx ts-node jshell groovy julia R Rscript scala kotlin ghci runghc elixir iex erl escript clojure clj bb".split(
      " ",
    ),
    ..."racket guile sbcl tclsh wish expect swift".split(" "),
    ...["deno run", "deno eval", "bun run", "dart run", "java"],
  ]),
  ...rows(shell, [
    ..."bash sh zsh dash ash ksh mksh csh tcsh fish nu elvish xonsh pwsh powershell cmd busybox toybox eval source".split(
      " ",
    ),
  ]),
  ...rows(elevated, [
    ..."sudo su doas pkexec runas gsudo run0 chroot unshare nsenter setpriv capsh systemd-run runuser".split(" "),
  ]),
  ...rows(launcher, [
    ..."env xargs find parallel nohup timeout time exec command builtin watch nice ionice stdbuf setsid flock".split(
      " ",
    ),
    ..."taskset chrt numactl script unbuffer entr watchexec hyperfine caffeinate concurrently tmux screen".split(" "),
    ...["mise exec", "mise x", "asdf exec", "direnv exec", "rbenv exec", "pyenv exec", "rustup run", "conda run"],
    ...["nix develop", "devbox run", "dotenv", "dotenvx", "dotenvx run"],
  ]),
  ...rows(fetched, [
    ..."npx bunx pnpx uvx pipx nix-shell".split(" "),
    ...[
      "npm exec",
      "npm x",
      "pnpm dlx",
      "yarn dlx",
      "bun x",
      "uv tool run",
      "pipx run",
      "go run",
      "nix run",
      "nix shell",
    ],
  ]),
  ...rows(inProject, [
    ...["uv run", "poetry run", "pipenv run", "hatch run", "rye run", "pdm run", "pixi run", "bundle exec"],
    ...["pnpm exec", "yarn exec", "cargo run", "dotnet run"],
  ]),
  ...rows(withSecrets, ["op run", "doppler run", "infisical run", "aws-vault exec", "chamber exec", "vault"]),
  ...rows(remote, [
    ..."ssh mosh rsh ansible ansible-playbook pssh sshpass autossh".split(" "),
    ...["vagrant ssh", "gcloud compute ssh", "az ssh", "fly ssh console", "heroku run", "tsh ssh", "gh codespace ssh"],
  ]),
  ...rows(container, [
    ...["docker", "podman", "nerdctl", "docker run", "docker exec", "docker compose", "docker compose run"],
    ...["docker compose exec", "docker-compose", "podman run", "podman exec", "nerdctl run"],
  ]),
  ...rows(cluster, ["kubectl", "kubectl exec", "kubectl run", "oc", "oc exec", "helm"]),
  ...rows(editor, "vi vim nvim view ex ed emacs emacsclient".split(" ")),
  ...rows(database, "psql mysql mariadb sqlite3".split(" ")),
  ...rows(debugging, "gdb lldb rr perf strace ltrace".split(" ")),
  ...rows(later, "at batch crontab".split(" ")),
])

function rows(reason: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [name, reason])
}
