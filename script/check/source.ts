/** A file as the checks see it: path from the repository's root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Something a check objects to. `line` counts from 1; 0 means the file as a whole. */
export interface Finding {
  readonly path: string
  readonly line: number
  readonly message: string
}

const code = /\.(ts|tsx|mts|mjs|js|jsx)$/

/** Whether the checks that read TypeScript look at this file. */
export function isCode(path: string): boolean {
  return code.test(path)
}

/** Whether a file is a test: `x.test.ts`, or anything in a folder named `test`. */
export function isTest(path: string): boolean {
  return /\.test\.[a-z]+$/.test(path) || path.split("/").includes("test")
}

/** The package a path belongs to (`packages/core/src/app.ts` → `core`), or undefined outside `packages/`. */
export function packageOf(path: string): string | undefined {
  const parts = path.split("/")
  return parts[0] === "packages" && parts.length > 2 ? parts[1] : undefined
}

/** Line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

/** One line per finding, `path:line message`, sorted. */
export function render(findings: readonly Finding[]): string[] {
  return findings
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
    .map((finding) => `${finding.path}${finding.line > 0 ? `:${finding.line}` : ""} ${finding.message}`)
}

/** Reads every file of the repository's own folders, in path order; what installs and builds leave behind is skipped. */
export async function readSources(root: string): Promise<SourceFile[]> {
  const paths: string[] = []
  for (const pattern of ["packages/**/*", "script/**/*", "bench/**/*"]) {
    for await (const path of new Bun.Glob(pattern).scan({ cwd: root, onlyFiles: true })) {
      const slashed = path.replaceAll("\\", "/")
      if (!/(^|\/)(node_modules|dist)\//.test(slashed)) paths.push(slashed)
    }
  }
  const files = paths.toSorted().map(async (path) => {
    // Other files are judged by their names alone; a data file of megabytes is not worth reading.
    return { path, text: isCode(path) ? await Bun.file(`${root}/${path}`).text() : "" }
  })
  return Promise.all(files)
}
