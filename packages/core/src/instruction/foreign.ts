const names: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  "bower_components",
  "site-packages",
  ".venv",
  "vendor",
])

/** Does a path lead into other people's code that a project only carries along? Their instructions are not the project's. */
export const isForeign = (path: string): boolean => path.split(/[/\\]/).some((segment) => names.has(segment))
