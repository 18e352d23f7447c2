/** Where a row of the table applies. `any`: at any depth of any directory. The others: below that directory. */
export type ProtectedScope = "any" | "home" | "config" | "data" | "state" | "root"

/** A path that starts programs or loosens the rules when somebody writes it. `/**` at the end: it and all below it; `*`: a part of one name. */
export interface ProtectedPath {
  readonly scope: ProtectedScope
  readonly path: string
  readonly reason: string
}

const rows = (scope: ProtectedScope, reason: string, paths: readonly string[]): ProtectedPath[] =>
  paths.map((path) => ({ scope, path, reason }))

/** Not protected although a row covers it: plans are what a read-only agent may write. */
export const unprotectedPaths: readonly string[] = [".cairn/plans/*.md"]

export const protectedPaths: readonly ProtectedPath[] = [
  ...rows("any", "the agent's own configuration and plugins", [
    ".cairn/**",
    ".opencode/**",
    "cairn.json",
    "cairn.jsonc",
    "opencode.json",
    "opencode.jsonc",
  ]),
  ...rows("config", "the agent's own configuration", ["cairn/**", "opencode/**"]),
  ...rows("data", "the agent's own data and keys", ["cairn/**", "opencode/**"]),
  ...rows("state", "the agent's own state", ["cairn/**", "opencode/**"]),
  ...rows("any", "git runs programs from here", [
    ".git/hooks/**",
    ".git/config",
    ".git/config.worktree",
    ".git/modules/*/hooks/**",
    ".git/modules/*/config",
    ".git/worktrees/*/config.worktree",
  ]),
  ...rows("home", "git runs programs from here", [".gitconfig"]),
  ...rows("config", "git runs programs from here", ["git/**"]),
  ...rows("home", "a shell start-up file", [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
  ]),
  ...rows("config", "a shell start-up file", ["fish/**", "nushell/**", "environment.d/**"]),
  ...rows("config", "programs are started from here at log-in", ["autostart/**", "systemd/user/**"]),
  ...rows("home", "it decides who may log in and what ssh runs", [".ssh/**"]),
  ...rows("root", "a shell start-up file", [
    "etc/profile",
    "etc/profile.d/**",
    "etc/bash.bashrc",
    "etc/bashrc",
    "etc/zsh/**",
    "etc/zshrc",
    "etc/zshenv",
    "etc/environment",
  ]),
  ...rows("any", "a CI definition: it runs elsewhere, with the project's secrets", [
    ".github/workflows/**",
    ".github/actions/**",
    ".gitea/workflows/**",
    ".forgejo/workflows/**",
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".gitlab/ci/**",
    ".circleci/**",
    ".ci/**",
    ".buildkite/**",
    ".woodpecker/**",
    ".woodpecker.yml",
    ".woodpecker.yaml",
    ".drone.yml",
    ".travis.yml",
    ".teamcity/**",
    ".cirrus.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    ".azure-pipelines/**",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
  ]),
  ...rows("any", "the editor runs programs from it", [
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".vscode/settings.json",
    "*.code-workspace",
    ".idea/runConfigurations/**",
    ".idea/workspace.xml",
    ".run/*.run.xml",
    ".zed/tasks.json",
    ".zed/settings.json",
    ".fleet/run.json",
    ".devcontainer/**",
    ".devcontainer.json",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals.el",
  ]),
]
