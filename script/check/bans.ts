import { scan, type Scan } from "./scan.ts"
import { isCode, isTest, lineAt, render, type Finding, type SourceFile } from "./source.ts"

/** What a rule looks at: code alone, code with its strings, or comments alone. */
type View = "code" | "strings" | "comments"

interface Ban {
  readonly pattern: RegExp
  readonly in: View
  readonly message: string
  /** The only folder where it is forbidden, where it is not everywhere. */
  readonly only?: string
  /** Paths where it is allowed. A trailing slash means the folder. */
  readonly except?: readonly string[]
  readonly exceptTests?: boolean
  /** Excuses a single match. */
  readonly unless?: (view: string, match: RegExpExecArray) => boolean
}

const spawners = [
  "packages/core/src/process/",
  "packages/sdk/src/server.ts",
  "packages/tui/src/input/editor.ts",
].concat(["packages/desktop/", "packages/vscode/", "packages/testkit/", "script/", "bench/"])
const spawn = {
  message: "spawns a process: go through packages/core/src/process",
  except: spawners,
  exceptTests: true,
}

const fetchers = ["packages/core/src/net/", "packages/sdk/", "packages/web/", "packages/testkit/", "bench/"]
const network = {
  message: "reaches the network: go through packages/core/src/net",
  except: fetchers,
  exceptTests: true,
}

const abort = {
  message: "handles abortion by hand: use @cairn/kernel/task and @cairn/kernel/deadline",
  except: ["packages/kernel/", "packages/web/", "packages/tui/", "packages/vscode/"],
}

/** `fetch(request) { … }` defines a method, as `Bun.serve` takes it; it calls nothing. */
function definesMethod(view: string, match: RegExpExecArray): boolean {
  const before = view.slice(0, match.index).trimEnd()
  return /(?:^|[{,;}]|\basync)$/.test(before) && /^fetch\s*\([^()]*\)\s*(?::[^{;]*)?\{/.test(view.slice(match.index))
}

/** `condition ? test : test.skip` has its condition. */
function isConditional(view: string, match: RegExpExecArray): boolean {
  return /[?:]\s*$/.test(view.slice(0, match.index))
}

const bans: readonly Ban[] = [
  { in: "code", pattern: /\bBun\s*\.\s*(?:spawn|spawnSync|\$)(?![\w$])/g, ...spawn },
  { in: "code", pattern: /=\s*Bun\b(?!\s*[.\w])/g, ...spawn },
  {
    in: "code",
    pattern: /\bimport\s*\{[^}]*(?<![\w$])(?:spawn|spawnSync|\$)(?![\w$])[^}]*\}\s*from\s*["']/g,
    ...spawn,
  },
  { in: "strings", pattern: /["'](?:node:)?(?:child_process|cluster)["']/g, ...spawn },
  { in: "code", pattern: /(?<![.\w$#])fetch\s*\(/g, ...network, unless: definesMethod },
  { in: "code", pattern: /(?<!\btypeof\s+)\b(?:globalThis|window|self|Bun)\s*\.\s*fetch\b/g, ...network },
  { in: "code", pattern: /\bBun\s*\.\s*(?:connect|udpSocket)\b/g, ...network },
  { in: "code", pattern: /\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b/g, ...network },
  {
    in: "strings",
    pattern: /\bfrom\s*["'](?:(?:node:)?(?:https?|http2|net|tls|dgram)|undici|axios|ws)["']/g,
    ...network,
  },
  {
    in: "strings",
    pattern: /\b(?:import|require)\s*\(\s*["'](?:node:)?(?:https?|http2|net|tls|dgram)["']/g,
    ...network,
  },
  { in: "code", pattern: /\bnew\s+AbortController\b/g, ...abort },
  { in: "code", pattern: /\bAbortSignal\s*\.\s*(?:timeout|any)\b/g, ...abort },
  { in: "code", pattern: /\bPromise\s*\.\s*race\b/g, ...abort },
  { in: "strings", pattern: /\baddEventListener\s*\(\s*["'`]abort["'`]/g, ...abort },
  { in: "code", pattern: /\.\s*onabort\s*=/g, ...abort },
  {
    in: "code",
    pattern: /\brequestLive\b/g,
    message: "draws 30 frames a second and delays keys by 22 ms: use packages/tui/src/terminal/clock.ts",
  },
  {
    in: "code",
    pattern: /\bprocess\s*\.\s*stdout\b/g,
    message: "writes into the frame: only packages/tui/src/terminal knows the real terminal",
    only: "packages/tui/src/",
    except: ["packages/tui/src/terminal/"],
    exceptTests: true,
  },
  {
    in: "code",
    pattern: /\.\s*catch\s*\(\s*(?:\(\s*[\w$]*\s*\)|[\w$]+)\s*=>\s*\{\s*\}\s*\)/g,
    message: "swallows a rejection: handle it, or say with a value what it means",
  },
  {
    in: "comments",
    pattern: /\b(?:TODO|FIXME|XXX)\b/g,
    message: "leaves work in a comment: do it, or open an issue",
  },
  {
    in: "code",
    pattern: /(?<![.\w$])(?:test|it|describe)\s*\.\s*(?:only|skip|todo)\b/g,
    message: "switches a test off or others off: use skipIf with a condition that it prints",
    unless: isConditional,
  },
]

const forbiddenNames = new Set(["legacy", "util", "utils", "helper", "helpers", "manager", "index"])

/** Checks what the house forbids: calls outside the one place for them, silenced failures, names that hide a second generation. */
export function checkBans(
  files: readonly SourceFile[],
  lockfile?: SourceFile,
): { failures: string[]; notes: string[] } {
  const findings = files.flatMap((file) => [
    ...nameFindings(file.path),
    ...(isCode(file.path) ? textFindings(file) : []),
  ])
  return { failures: render([...findings, ...(lockfile ? lockfileFindings(lockfile) : [])]), notes: [] }
}

function textFindings(file: SourceFile): Finding[] {
  const views: Scan = scan(file.text)
  const findings: Finding[] = []
  for (const ban of bans) {
    if (isExcepted(ban, file.path)) continue
    const view = views[ban.in]
    for (const match of view.matchAll(ban.pattern)) {
      // A string that quotes code is no code.
      if (ban.in === "strings" && views.code.charAt(match.index) !== match[0].charAt(0)) continue
      if (ban.unless?.(view, match)) continue
      const what = match[0].replace(/\s+/g, " ").trim()
      findings.push({ path: file.path, line: lineAt(file.text, match.index), message: `\`${what}\` ${ban.message}` })
    }
  }
  return findings
}

function isExcepted(ban: Ban, path: string): boolean {
  if (ban.only !== undefined && !path.startsWith(ban.only)) return true
  if (ban.exceptTests && isTest(path)) return true
  return (ban.except ?? []).some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place))
}

/** Folder and file names are judged by their words: `path-utils.ts` is as bad as `utils.ts`. */
function nameFindings(path: string): Finding[] {
  for (const part of path.split("/")) {
    const stem = part.split(".")[0] ?? ""
    const words = stem.toLowerCase().split(/[-_]/)
    const bad =
      words.find((word) => forbiddenNames.has(word) || /^v\d+$/.test(word)) ?? (words.at(-1) === "next" && "next")
    if (bad) return [{ path, line: 0, message: `is named "${bad}": name it after what it does or holds` }]
  }
  return []
}

/** A lockfile that names hosts installs only where those can be reached. */
function lockfileFindings(file: SourceFile): Finding[] {
  return [...file.text.matchAll(/https?:\/\/[^\s"',]*/g)].map((match) => {
    return {
      path: file.path,
      line: lineAt(file.text, match.index),
      message: "names a host: install without a registry of your own",
    }
  })
}
