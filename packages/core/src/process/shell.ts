/** What runs a command line: bash when there is one, else sh. It may begin with a dash. */
export function shellCommand(command: string, shell: string): string[] {
  return [shell, "-c", "--", command]
}

/** Path of the shell for `shellCommand`, looked up in the children's PATH. */
export function findShell(env: Readonly<Record<string, string>>): string {
  return Bun.which("bash", { PATH: env["PATH"] ?? "/usr/bin:/bin" }) ?? "/bin/sh"
}
