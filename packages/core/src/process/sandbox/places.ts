/** Where a row of the tables applies: below the user's home, or the directory that an XDG variable names. */
export type SandboxScope = "home" | "config" | "data" | "cache" | "runtime" | "root"

/** Directories of the user, by scope; absent when there is none. Absolute. */
export type SandboxPlaces = Readonly<Partial<Record<SandboxScope, string>>>

/** A place that commands may write besides the project: caches of package managers and build tools. */
export interface CacheRow {
  readonly scope: SandboxScope
  readonly path: string
  readonly of: string
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

const caches = (of: string, scope: SandboxScope, ...paths: string[]): CacheRow[] =>
  paths.map((path) => ({ scope, path, of }))

export const cacheRows: readonly CacheRow[] = [
  ...caches("any program that keeps to XDG", "cache", ""),
  ...caches("npm", "home", ".npm", ".node-gyp"),
  ...caches("pnpm", "home", ".pnpm-store"),
  ...caches("pnpm", "data", "pnpm"),
  ...caches("yarn", "home", ".yarn", ".yarn-cache"),
  ...caches("bun", "home", ".bun/install/cache"),
  ...caches("deno", "home", ".deno"),
  ...caches("cargo", "home", ".cargo/registry", ".cargo/git"),
  ...caches("rustup", "home", ".rustup/tmp", ".rustup/downloads"),
  ...caches("go", "home", "go/pkg"),
  ...caches("gradle", "home", ".gradle"),
  ...caches("maven", "home", ".m2/repository"),
  ...caches("ivy and sbt", "home", ".ivy2", ".sbt"),
  ...caches("python", "home", ".pyenv/shims", ".ipython"),
  ...caches("uv", "data", "uv"),
  ...caches("ruby", "home", ".bundle/cache", ".gem"),
  ...caches("composer", "home", ".composer/cache"),
  ...caches("nuget", "home", ".nuget"),
  ...caches("cocoapods", "home", ".cocoapods"),
  ...caches("dart", "home", ".pub-cache"),
  ...caches("elixir", "home", ".mix", ".hex"),
  ...caches("haskell", "home", ".cabal/packages", ".stack"),
  ...caches("terraform", "home", ".terraform.d/plugin-cache"),
  ...caches("huggingface", "home", ".huggingface"),
]

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

export const credentialRows: readonly CredentialRow[] = [
  ...keys("git, ssh, scp, sftp, rsync", "home", ".ssh"),
  ...keys("git", "home", ".git-credentials", ".netrc", ".config/git/credentials"),
  ...keys("git, gpg, gpg2", "home", ".gnupg"),
  ...keys("gh, git", "config", "gh"),
  ...keys("glab, git", "config", "glab-cli"),
  // Private registries need their key to install, not to test or to build.
  ...keys(registryCommands("npm", "pnpm", "yarn", "bun"), "home", ".npmrc", ".yarnrc", ".yarnrc.yml"),
  ...keys("twine upload, uv publish, poetry publish", "home", ".pypirc"),
  ...keys("cargo publish, cargo login", "home", ".cargo/credentials", ".cargo/credentials.toml"),
  ...keys("gem push", "home", ".gem/credentials"),
  ...keys("aws, sam, cdk", "home", ".aws"),
  ...keys("gcloud, gsutil, bq", "config", "gcloud"),
  ...keys("az", "home", ".azure"),
  ...keys("kubectl, helm, k9s, kustomize", "home", ".kube"),
  ...keys("docker, docker-compose, podman", "home", ".docker"),
  ...keys("podman, buildah, skopeo", "config", "containers"),
  ...keys("terraform login", "home", ".terraform.d/credentials.tfrc.json"),
  ...keys("vault", "home", ".vault-token"),
  ...keys("psql, pg_dump", "home", ".pgpass"),
  ...keys("mysql, mysqldump", "home", ".my.cnf"),
  ...keys("", "home", ".password-store", ".mozilla", ".config/op", ".config/BraveSoftware", ".config/chromium"),
  ...keys("", "home", ".config/google-chrome", ".claude", ".claude.json", ".codex", ".gemini"),
  ...keys("", "data", "keyrings", "opencode"),
  ...keys("", "config", "opencode"),
]

const sockets = (owners: string, scope: SandboxScope, ...paths: string[]): SocketRow[] =>
  paths.map((path) => ({ scope, path, owners: owners === "" ? [] : owners.split(", ") }))

export const socketRows: readonly SocketRow[] = [
  ...sockets("docker, docker-compose", "root", "run/docker.sock", "var/run/docker.sock"),
  ...sockets("podman", "root", "run/podman/podman.sock"),
  ...sockets("", "root", "run/containerd/containerd.sock", "run/crio/crio.sock", "run/dbus/system_bus_socket"),
  ...sockets("", "root", "run/snapd.socket", "run/libvirt/libvirt-sock", "run/systemd/private", "run/screen"),
  ...sockets("docker, docker-compose", "runtime", "docker.sock"),
  ...sockets("podman", "runtime", "podman/podman.sock"),
  // Editors, terminals, keyrings and the session bus put theirs here under names of their own: all of it.
  ...sockets("docker, docker-compose, podman, git, gpg, gpg2", "runtime", ""),
  ...sockets("", "runtime", "bus", "systemd", "keyring", "at-spi", "wayland-0", "pipewire-0", "pulse"),
  ...sockets("git, gpg, gpg2", "runtime", "gnupg"),
]

/** Directories of temporary files hold sockets too: of terminals and agents that would run a command outside. */
export const socketName =
  /^(?:tmux-|ssh-|screens?$|uscreens$|\.X11-unix$|\.ICE-unix$|dbus-|gpg-|vscode-ipc-|vscode-git-|\.s\.PGSQL)/

/** Of the variables, those that name an agent's socket, and who may speak to it. */
export const agentVariables: Readonly<Record<string, readonly string[]>> = {
  TMUX: [],
  STY: [],
  VSCODE_IPC_HOOK_CLI: [],
  VSCODE_GIT_IPC_HANDLE: [],
  SSH_AUTH_SOCK: ["git", "ssh", "scp", "sftp", "rsync", "ssh-add"],
  SSH_AGENT_PID: ["ssh-add"],
  GPG_AGENT_INFO: ["gpg", "git"],
  DBUS_SESSION_BUS_ADDRESS: [],
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
    config: at("XDG_CONFIG_HOME", ".config"),
    data: at("XDG_DATA_HOME", ".local/share"),
    cache: at("XDG_CACHE_HOME", ".cache"),
    ...(runtime?.startsWith("/") && { runtime }),
  }
}
