/** Settings by which git starts a program, reads other settings, or sends what it has elsewhere. */
const starting =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)|alias\.|filter\.|diff\.(?:.*\.)?(?:external|textconv|command)|merge\..*\.driver|mergetool\.|difftool\.|credential\.|gpg\.|include\.|includeif\.|pager\.|interactive\.difffilter|sequence\.editor|url\.|protocol\.|remote\..*\.(?:uploadpack|receivepack|vcs|proxy)|http\.|sendemail\.|submodule\..*\.update|uploadpack\.|receive\.|browser\.|man\.|init\.templatedir|trailer\.|web\.|guitool\.|sendpack\.|tar\.|instaweb\.)/

/** Settings of `after` that start programs and do not stand so in `before`: `core.hookspath`. Text of git's config files. */
export function startingSettings(before: string, after: string): string[] {
  const known = new Set(settingsOf(before).map(({ key, value }) => `${key}=${value}`))
  const added = settingsOf(after).filter(({ key, value }) => starting.test(key) && !known.has(`${key}=${value}`))
  return [...new Set(added.map(({ key }) => key))]
}

function settingsOf(text: string): { key: string; value: string }[] {
  let section = ""
  const found: { key: string; value: string }[] = []
  for (const line of text.replaceAll(/\\\r?\n/g, "").split("\n")) {
    // A setting may stand behind the section on its line.
    const head = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (head) section = head[2] === undefined ? head[1]!.toLowerCase() : `${head[1]!.toLowerCase()}.${head[2]}`
    const rest = head ? line.slice(head[0].length) : line
    const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest)
    if (setting) found.push({ key: `${section}.${setting[1]!.toLowerCase()}`, value: (setting[2] ?? "").trim() })
  }
  return found
}
