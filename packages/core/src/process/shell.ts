/**
 * What runs a command line: bash when there is one, else sh. Standard error goes where standard output goes, so that
 * the order of the lines is the order of writing. The redirection stands on the command's first line to keep line numbers in messages.
 */
export function shellCommand(command: string, shell: string): string[] {
  return [shell, "-c", `exec 2>&1; ${command}`]
}

/** Path of the shell for `shellCommand`, looked up in the children's PATH. */
export function findShell(env: Readonly<Record<string, string>>): string {
  return Bun.which("bash", { PATH: env["PATH"] ?? "/usr/bin:/bin" }) ?? "/bin/sh"
}
