/** Where a row of the tables applies: below the user's home, or the directory that an XDG variable names. */
export type SandboxScope = "home" | "config" | "data" | "state" | "cache" | "runtime" | "root"

/** Directories of the user, by scope; absent when there is none. Absolute. */
export type SandboxPlaces = Readonly<Partial<Record<SandboxScope, string>>>

/** A place that commands may write besides the project: caches of package managers and build tools. */
export interface CacheRow {
  readonly scope: SandboxScope
  readonly path: string
  /** Who fills it. When one of these runs and it is not there, it is made. */
  readonly programs: readonly string[]
  /** Its files are hard links in projects: who may not write the project may not write here. */
  readonly linked?: boolean
}

/** A place with keys or sessions in it. Nobody sees it but the commands that own it. */
export interface CredentialRow {
  readonly scope: SandboxScope
  readonly path: string
  /** `program`, or `program subcommand`: who gets it. */
  readonly owners: readonly string[]
}

/** A socket through which a command could have others act for it, outside of the sandbox. */
export interface SocketRow {
  readonly scope: SandboxScope
  readonly path: string
  readonly owners: readonly string[]
}

const caches = (programs: string, scope: SandboxScope, ...paths: string[]): CacheRow[] =>
  paths.map((path) => ({ scope, path, programs: programs === "" ? [] : programs.split(" ") }))
const links = (...rows: CacheRow[]): CacheRow[] => rows.map((row) => ({ ...row, linked: true }))

const java = "gradle gradlew mvn mvnw"
/** What is fetched and built, never what is put on the PATH or read by a shell that starts. */
export const cacheRows: readonly CacheRow[] = [
  // Whoever keeps to XDG.
  ...caches("", "cache", ""),
  ...caches("npm npx", "home", ".npm", ".node-gyp"),
  ...links(...caches("pnpm pnpx", "home", ".pnpm-store"), ...caches("pnpm pnpx", "data", "pnpm/store")),
  ...caches("pnpm pnpx", "state", "pnpm"),
  ...links(...caches("yarn yarnpkg", "home", ".yarn/berry")),
  ...caches("", "home", ".yarn-cache"),
  ...links(...caches("bun bunx", "home", ".bun/install/cache")),
  ...links(...caches("", "cache", "uv")),
  ...caches("cargo", "home", ".cargo/registry", ".cargo/git"),
  ...caches("", "home", ".cargo/.package-cache", ".cargo/.package-cache-mutate", ".cargo/.global-cache"),
  ...caches("", "home", ".rustup/tmp", ".rustup/downloads"),
  ...caches("go", "home", "go/pkg"),
  ...caches("gradle gradlew", "home", ".gradle/caches", ".gradle/wrapper", ".gradle/daemon", ".gradle/native"),
  ...caches("gradle gradlew", "home", ".gradle/notifications", ".gradle/workers", ".gradle/jdks", ".gradle/.tmp"),
  ...caches(java, "home", ".m2/repository"),
  ...caches("mvnw", "home", ".m2/wrapper"),
  ...caches("sbt", "home", ".ivy2/cache", ".ivy2/local", ".sbt/boot", ".sbt/1.0/zinc", ".sbt/1.0/dependency"),
  ...caches("", "data", "virtualenv", "virtualenvs"),
  ...caches("", "home", ".bundle/cache", ".gem/specs"),
  ...caches("composer", "home", ".composer/cache"),
  ...caches("dotnet nuget", "home", ".nuget/packages"),
  ...caches("dotnet nuget", "data", "NuGet"),
  ...caches("pod", "home", ".cocoapods/repos"),
  ...caches(
    "dart flutter",
    "home",
    ".pub-cache/hosted",
    ".pub-cache/hosted-hashes",
    ".pub-cache/git",
    ".pub-cache/_temp",
  ),
  ...caches("mix", "home", ".hex/packages"),
  ...caches("", "home", ".hex/cache.ets"),
  ...caches("cabal", "home", ".cabal/packages", ".cabal/store", ".cabal/logs"),
  ...caches("stack", "home", ".stack/pantry", ".stack/snapshots"),
  ...caches("conan", "home", ".conan/data", ".conan2/p"),
  ...caches("ccache", "home", ".ccache"),
  ...caches("", "home", ".terraform.d/plugin-cache"),
]

/** In a cache, but started or read by shells, prompts and editors outside; the last part of a name may be a beginning with `*`. */
export const startedRows: readonly { readonly scope: SandboxScope; readonly path: string }[] = [
  ..."p10k-* gitstatus oh-my-zsh prezto zsh zsh4humans zinit zim antidote antigen sheldon bash fish nushell".split(" "),
  ..."starship carapace wal direnv mise nvim vim emacs doom helix opencode".split(" "),
].map((path) => ({ scope: "cache", path }))

const registryCommands = (...programs: string[]): string =>
  programs
    .flatMap((program) =>
      "install i ci add update upgrade outdated audit view info publish login whoami"
        .split(" ")
        .map((name) => `${program} ${name}`),
    )
    .join(", ")

const keys = (owners: string, scope: SandboxScope, ...paths: string[]): CredentialRow[] =>
  paths.map((path) => ({ scope, path, owners: owners === "" ? [] : owners.split(", ") }))

/** Git speaks to others, or signs; with all else that it does, what runs along (hooks, filters) would get the keys. */
const speaking = "push pull fetch clone ls-remote remote submodule lfs archive".split(" ").map((name) => `git ${name}`)
const signing = "commit tag merge rebase cherry-pick revert am verify-commit verify-tag"
  .split(" ")
  .map((name) => `git ${name}`)
const gitSpeaks = speaking.join(", ")
const gitSigns = [...speaking, ...signing].join(", ")

export const credentialRows: readonly CredentialRow[] = [
  ...keys(`${gitSpeaks}, ssh, scp, sftp, rsync`, "home", ".ssh"),
  ...keys(gitSpeaks, "home", ".git-credentials", ".netrc", ".config/git/credentials"),
  ...keys(`${gitSigns}, gpg, gpg2`, "home", ".gnupg"),
  ...keys(`gh, ${gitSpeaks}`, "config", "gh", "hub"),
  ...keys(`glab, ${gitSpeaks}`, "config", "glab-cli"),
  // Private registries need their key to install, not to test or to build.
  ...keys(registryCommands("npm", "pnpm", "yarn", "bun"), "home", ".npmrc", ".yarnrc", ".yarnrc.yml"),
  ...keys("twine upload, uv publish, poetry publish", "home", ".pypirc"),
  ...keys("poetry publish, poetry install, poetry add, poetry lock, poetry update", "config", "pypoetry/auth.toml"),
  ...keys("cargo publish, cargo login", "home", ".cargo/credentials", ".cargo/credentials.toml"),
  ...keys("gem push", "home", ".gem/credentials"),
  ...keys("mix hex.publish, mix hex.user", "home", ".hex/hex.config"),
  ...keys("aws, sam, cdk", "home", ".aws"),
  ...keys("gcloud, gsutil, bq", "config", "gcloud"),
  ...keys("gsutil", "home", ".boto"),
  ...keys("az", "home", ".azure"),
  ...keys("oci", "home", ".oci"),
  ...keys("aliyun", "home", ".aliyun"),
  ...keys("doctl", "config", "doctl"),
  ...keys("rclone", "config", "rclone"),
  ...keys("s3cmd", "home", ".s3cfg"),
  ...keys("fly, flyctl", "home", ".fly"),
  ...keys("vercel", "data", "com.vercel.cli"),
  ...keys("netlify", "config", "netlify"),
  ...keys("wrangler", "config", ".wrangler"),
  ...keys("wrangler", "home", ".wrangler"),
  ...keys("firebase", "config", "configstore/firebase-tools.json"),
  ...keys("pulumi", "home", ".pulumi/credentials.json"),
  ...keys("databricks", "home", ".databrickscfg"),
  ...keys("kaggle", "home", ".kaggle"),
  ...keys("hf, huggingface-cli", "home", ".huggingface"),
  ...keys("hf, huggingface-cli", "cache", "huggingface/token", "huggingface/stored_tokens"),
  ...keys("kubectl, helm, k9s, kustomize", "home", ".kube"),
  ...keys("docker, docker-compose, podman", "home", ".docker"),
  ...keys("podman, buildah, skopeo", "config", "containers"),
  ...keys("terraform, tofu", "home", ".terraform.d/credentials.tfrc.json", ".terraformrc"),
  ...keys("vault", "home", ".vault-token"),
  ...keys("psql, pg_dump, pg_restore", "home", ".pgpass"),
  ...keys("mysql, mysqldump", "home", ".my.cnf", ".mylogin.cnf"),
  ...keys("op", "config", "op"),
  ...keys("pass", "home", ".password-store"),
  ...keys("", "home", ".mozilla", ".thunderbird", ".var/app", ".bitcoin", ".ethereum", ".electrum", ".1password"),
  ...keys("", "home", "snap/firefox", "snap/chromium", "snap/thunderbird", ".bitwarden-ssh-agent.sock"),
  ...keys(
    "",
    "config",
    "BraveSoftware",
    "chromium",
    "google-chrome",
    "google-chrome-beta",
    "microsoft-edge",
    "vivaldi",
  ),
  ...keys("", "config", "Signal", "Slack", "discord", "solana", "github-copilot"),
  ...keys("", "home", ".claude", ".claude.json", ".codex", ".gemini"),
  ...keys("", "home", ".bash_history", ".zsh_history", ".psql_history", ".mysql_history", ".node_repl_history"),
  ...keys("", "data", "keyrings", "kwalletd", "opencode", "fish/fish_history"),
  ...keys("", "config", "opencode"),
]

const sockets = (owners: string, scope: SandboxScope, ...paths: string[]): SocketRow[] =>
  paths.map((path) => ({ scope, path, owners: owners === "" ? [] : owners.split(", ") }))

const containers = "docker, docker-compose"

/** A socket can be opened though its place is read-only. */
export const socketRows: readonly SocketRow[] = [
  ...sockets(containers, "root", "run/docker.sock", "var/run/docker.sock"),
  ...sockets("podman", "root", "run/podman/podman.sock"),
  ...sockets("", "root", "run/containerd/containerd.sock", "run/k3s", "run/crio/crio.sock", "run/buildkit"),
  ...sockets("", "root", "run/dbus/system_bus_socket", "run/snapd.socket", "run/libvirt", "run/systemd/private"),
  ...sockets("", "root", "run/screen", "run/lxd.socket", "run/incus", "var/lib/incus/unix.socket"),
  ...sockets("", "root", "var/lib/lxd/unix.socket", "var/snap/lxd/common/lxd/unix.socket"),
  ...sockets(containers, "home", ".colima", ".orbstack/run", ".rd", ".lima"),
  ...sockets("", "home", ".emacs.d/server", ".screen"),
  // Editors, terminals, keyrings and the session bus put theirs here under names of their own: all of it.
  ...sockets("", "root", "run/user"),
  ...sockets("", "runtime", ""),
  ...sockets(containers, "runtime", "docker.sock"),
  ...sockets("podman", "runtime", "podman/podman.sock"),
  ...sockets(`${gitSigns}, gpg, gpg2`, "runtime", "gnupg"),
]

/** Directories of temporary files hold sockets too: of terminals, editors and agents that would run a command outside. */
export const socketName =
  /^(?:tmux-|tmate-|zellij-|ssh-|screens?$|uscreens$|\.X11-unix$|\.ICE-unix$|dbus-|at-spi|gpg-|keyring-|vscode-(?:ipc|git)-|emacs\d|nvim|kitty|mykitty|i3-|bspwm|com\.apple\.launchd|\.org\.chromium|pulse-|\.s\.PGSQL)/

/** Of the variables, those that name an agent's socket, and who may speak to it. */
export const agentVariables: Readonly<Record<string, readonly string[]>> = {
  TMUX: [],
  STY: [],
  VSCODE_IPC_HOOK_CLI: [],
  VSCODE_GIT_IPC_HANDLE: [],
  SSH_AUTH_SOCK: [...speaking, ...signing, "ssh", "scp", "sftp", "rsync", "ssh-add"],
  SSH_AGENT_PID: ["ssh-add"],
  GPG_AGENT_INFO: ["gpg", ...speaking, ...signing],
  DBUS_SESSION_BUS_ADDRESS: [],
  NVIM: [],
  KITTY_LISTEN_ON: [],
  WEZTERM_UNIX_SOCKET: [],
  I3SOCK: [],
  SWAYSOCK: [],
  DOCKER_HOST: ["docker", "docker-compose"],
}

/** The user's places by the XDG variables and their defaults. */
export function sandboxPlaces(env: Readonly<Record<string, string | undefined>>, home: string): SandboxPlaces {
  const at = (variable: string, usual: string) => {
    const value = env[variable]
    return value !== undefined && value.startsWith("/") ? value : `${home}/${usual}`
  }
  const runtime = env["XDG_RUNTIME_DIR"]
  return {
    ...{ home, root: "/" },
    state: at("XDG_STATE_HOME", ".local/state"),
    config: at("XDG_CONFIG_HOME", ".config"),
    data: at("XDG_DATA_HOME", ".local/share"),
    cache: at("XDG_CACHE_HOME", ".cache"),
    ...(runtime?.startsWith("/") && { runtime }),
  }
}
