/** Settings by which git starts a program, reads other settings, or sends what it has elsewhere. */
const starting =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)|alias\.|filter\.|diff\.(?:.*\.)?(?:external|textconv|command)|merge\..*\.driver|mergetool\.|difftool\.|credential\.|gpg\.|include\.|includeif\.|pager\.|interactive\.difffilter|sequence\.editor|url\.|protocol\.|remote\..*\.(?:uploadpack|receivepack|vcs|proxy)|http\.|sendemail\.|submodule\..*\.update|uploadpack\.|receive\.|browser\.|man\.|init\.templatedir|trailer\.|web\.|guitool\.|sendpack\.|tar\.|instaweb\.|imap\.|lfs\.|hook\.|gc\.recentobjectshook)/

/** Settings of `after` that start programs and do not stand so in `before`: `core.hookspath`. Text of git's config files. */
export function startingSettings(before: string, after: string): string[] {
  const known = new Set(settingsOf(before).map(({ key, value }) => `${key}=${value}`))
  const added = settingsOf(after).filter(
    ({ key, value }) => starting.test(key) && !isPlainUpdate(key, value) && !known.has(`${key}=${value}`),
  )
  return [...new Set(added.map(({ key }) => key))]
}

/** What a setting is in the end: `core.hookspath`. */
export function settingOf(text: string, key: string): string | undefined {
  const value = settingsOf(text).findLast((one) => one.key === key)?.value
  return value?.replaceAll(/"((?:[^"\\]|\\.)*)"/g, "$1")
}

/** How a submodule is brought up to date, when that is no program. */
const isPlainUpdate = (key: string, value: string): boolean => /^submodule\..*\.update$/.test(key) && !/!/.test(value)

function settingsOf(text: string): { key: string; value: string }[] {
  let section = ""
  const found: { key: string; value: string }[] = []
  for (const line of logicalLines(text)) {
    // A setting may stand behind the section on its line.
    const head = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (head) section = head[2] === undefined ? head[1]!.toLowerCase() : `${head[1]!.toLowerCase()}.${head[2]}`
    const rest = head ? line.slice(head[0].length) : line
    const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/s.exec(rest)
    if (setting) found.push({ key: `${section}.${setting[1]!.toLowerCase()}`, value: (setting[2] ?? "").trim() })
  }
  return found
}

/** Without comments, and with lines that go on joined: only a backslash in a value goes on, none in a comment. */
function logicalLines(text: string): string[] {
  const lines: string[] = []
  let line = ""
  let quoted = false
  let comment = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === "\n") {
      lines.push(line)
      line = ""
      quoted = comment = false
    } else if (comment) continue
    else if (char === "\\") {
      const next = /^\r?\n/.exec(text.slice(at + 1, at + 3))?.[0] ?? text.slice(at + 1, at + 2)
      at += next.length
      if (!next.endsWith("\n")) line += char + next
    } else if (!quoted && (char === "#" || char === ";")) comment = true
    else {
      if (char === '"') quoted = !quoted
      line += char
    }
  }
  return [...lines, line]
}
