import { ok, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { CommandJournal, CommandNotes } from "../../workspace/history/command-journal.ts"
import type { Threat } from "../../workspace/history/threat.ts"
import type { ToolContext } from "../define.ts"
import type { Confined } from "./confine.ts"
import type { PutAside } from "./put-aside.ts"

/** What has to be done around a command. */
interface Around {
  readonly journal: Pick<CommandJournal, "begin">
  /** Puts the command into its bounds, right before it runs. */
  readonly confine?: (() => Confined) | undefined
  /** It certainly changes no file: nobody has to look. */
  readonly quiet?: boolean | undefined
  /** What it could destroy. */
  readonly threats?: readonly Threat[] | undefined
}

export interface RanWatched<T> {
  readonly ran: T
  /** Missing when nobody looked. */
  readonly notes?: CommandNotes
  readonly bounded?: Confined
  /** What became of protected places that it wrote, for the model. */
  readonly lines: readonly string[]
}

/**
 *     look ─► bounds ─► run ─► put aside ─► look again ─► ask about what was put aside ─► look, bring back, look again
 *                        └─ interrupted: put aside, look again, ask nobody
 *
 * Runs a command within its bounds, and records what it changed however it ends. What was put aside is not in the
 * journal, what the user has let come back is. A failure means that nothing ran.
 */
export async function runWatched<T>(
  { journal, confine, quiet = false, threats }: Around,
  context: ToolContext,
  run: (bounded: Confined | undefined) => Promise<T>,
): Promise<Result<RanWatched<T>, ToolFailure>> {
  const watch = quiet ? ok(undefined) : await journal.begin(context, context.signal, threats)
  if (!watch.ok) return watch
  const bounded = confine?.()
  const end = async () => {
    let aside: readonly PutAside[] = []
    let notes: CommandNotes | undefined
    try {
      aside = (await bounded?.putAside()) ?? []
    } finally {
      notes = await watch.value?.finish()
    }
    return { aside, ...(notes && { notes }) }
  }
  let ran: { readonly value: T } | undefined
  try {
    ran = { value: await run(bounded) }
  } finally {
    if (!ran) keepNotes(context, (await end()).notes)
  }
  const { aside, notes } = await end()
  const settled = await settle(aside, notes, { journal, context })
  return ok({ ran: ran.value, ...(bounded && { bounded }), ...settled })
}

/** Asks about each, and brings back what is allowed. */
async function settle(
  aside: readonly PutAside[],
  found: CommandNotes | undefined,
  { journal, context }: { readonly journal: Around["journal"]; readonly context: ToolContext },
): Promise<{ readonly notes?: CommandNotes; readonly lines: readonly string[] }> {
  let notes = found
  const lines: string[] = []
  for (const one of aside) {
    keepNotes(context, notes)
    const allowed = await context.ask(one.ask)
    // Only now: what the user changes while an ask is open is the user's.
    const watch = allowed.ok ? await journal.begin(context, context.signal) : allowed
    const isBack = watch.ok && one.back()
    if (watch.ok) notes = joined(notes, await watch.value.finish())
    lines.push(isBack ? one.allowed : one.refused)
  }
  return { ...(notes && { notes }), lines }
}

/** An interrupted call keeps what was said of its progress. */
function keepNotes(context: ToolContext, notes: CommandNotes | undefined): void {
  if (notes) context.progress({ metadata: { journal: notes } })
}

function joined(first: CommandNotes | undefined, second: CommandNotes): CommandNotes {
  if (!first) return second
  const uncovered = [...new Set([...first.uncovered, ...second.uncovered])]
  return { ...second, ...first, files: first.files + second.files, uncovered }
}
