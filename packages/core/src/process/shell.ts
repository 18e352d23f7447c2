/** How a shell reads a line. `other`: nobody here knows. */
export type Dialect = "bash" | "sh" | "zsh" | "powershell" | "cmd" | "other"

const dialects: Readonly<Record<string, Dialect>> = {
  ...{ bash: "bash", sh: "sh", dash: "sh", ash: "sh", ksh: "sh", mksh: "sh", zsh: "zsh" },
  ...{ pwsh: "powershell", powershell: "powershell", cmd: "cmd" },
}

/** By the name of the shell's program, whatever stands in front of it or as its extension. */
export function dialectOf(shell: string): Dialect {
  const name = shell
    .replace(/^.*[\\/]/s, "")
    .toLowerCase()
    .replace(/\.exe$/, "")
  return Object.hasOwn(dialects, name) ? dialects[name]! : "other"
}

/** What runs a command line, which may begin with a dash. Start-up files of the user stay out of it where that can be said. */
export function shellCommand(command: string, shell: string): string[] {
  const dialect = dialectOf(shell)
  // In this form no quote of the line is lost on the way.
  if (dialect === "powershell")
    return [shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded(command)]
  if (dialect === "cmd") return [shell, "/d", "/s", "/c", command]
  return dialect === "other" ? [shell, "-c", command] : [shell, "-c", "--", command]
}

const encoded = (command: string): string => Buffer.from(command, "utf16le").toString("base64")

/**
 * Path of the shell for `shellCommand`: the one that is `wanted` where it exists, else bash, else what the system has. Looked
 * up in the children's PATH.
 */
export function findShell(
  env: Readonly<Record<string, string>>,
  wanted?: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const which = (name: string) => Bun.which(name, { PATH: env["PATH"] ?? "/usr/bin:/bin" })
  const names = platform === "win32" ? ["bash", "pwsh", "powershell", "cmd"] : ["bash"]
  for (const name of wanted === undefined ? names : [wanted, ...names]) {
    const found = which(name)
    if (found) return found
  }
  return "/bin/sh"
}
