import { arityRows } from "./arity-rows.ts"
import { hatches } from "./hatches.ts"
import { launchers, isShell } from "./launchers.ts"
import { readers } from "./readers.ts"
import { hasRoles } from "./word-roles.ts"
import { wrapperRows } from "./wrappers.ts"

const names: ReadonlySet<string> = new Set([
  ...arityRows.map(({ prefix }) => prefix.split(" ", 1)[0]!),
  ...hatches.flatMap(({ commands }) => commands),
  ...wrapperRows.map(({ name }) => name),
  ...launchers.keys(),
  ...readers,
])

/** Does any table speak of a program? Of the others nobody knows whether they run what stands among their words. */
export const isKnown = (command: string): boolean =>
  names.has(command) || names.has(command.toLowerCase()) || isShell(command) || hasRoles(command)
