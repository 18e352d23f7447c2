import type { PermissionAction, PermissionRuleset } from "@cairn/schema/permission"
import type { Ask, CommandPart } from "./ask.ts"
import { withoutLookOnly } from "./look-only.ts"
import { covers, decide, decideOpaque, type RuleStack, strictest, subjectOf, type Verdict } from "./rule.ts"
import { mayMatch, wildcard } from "./wildcard.ts"

/** A rule that speaks of a text, for sure or depending on what stands in its holes. */
interface Candidate extends Verdict {
  readonly certain: boolean
}

/**
 * What the rules say of one command, by all texts that name it. Every list of the stack has to allow it:
 *
 *     a narrow deny of any text           deny
 *     a narrow ask of any, a possible deny ask
 *     a narrow allow of one that names it  allow
 *     none of these                        what the general rule says; nothing, when the command is `free` and not `alone`
 */
function decidePart(stack: RuleStack, permission: string, part: CommandPart, alone: boolean): Verdict {
  return strictest(stack.map((ruleset) => decideIn(ruleset, permission, part, alone))) ?? { action: "ask" }
}

function decideIn(ruleset: PermissionRuleset, permission: string, part: CommandPart, alone: boolean): Verdict {
  const rules = ruleset.filter((rule) => covers(rule, permission))
  const named = part.named.map((text) => candidatesOf(rules, text))
  const also = part.also.map((text) => candidatesOf(rules, text))
  if (part.caseless) {
    const small = rules.map((rule) => ({ ...rule, pattern: rule.pattern.toLowerCase() }))
    also.push(...[...part.named, ...part.also].map((text) => candidatesOf(small, text.toLowerCase())))
  }
  let asked: Verdict | undefined
  for (const one of [...named, ...also].flat()) {
    if (isGeneral(one) || one.action === "allow") continue
    if (one.action === "deny" && one.certain) return one
    asked ??= { action: "ask", ...(one.rule && { rule: one.rule }) }
  }
  for (const text of part.maybe ?? []) {
    const [last] = candidatesOf(rules, text)
    if (last && !isGeneral(last) && last.action !== "allow")
      asked ??= { action: "ask", ...(last.rule && { rule: last.rule }) }
  }
  if (asked) return asked
  const allowed = named
    .map((candidates) => candidates.at(-1)!)
    .find((one, index) => !isGeneral(one) && saysEnough(part, part.named[index]!, one))
  if (allowed) return { action: allowed.action, ...(allowed.rule && { rule: allowed.rule }) }
  const general = strictest(named.map((candidates) => candidates.at(-1)!))
  if (part.free && !alone) return { action: "allow", ...(general?.rule && { rule: general.rule }) }
  return general ? { action: general.action, ...(general.rule && { rule: general.rule }) } : { action: "ask" }
}

/** What the rules alone say of all that a line needs, as `createAsks` would find it before it asks anybody. */
export function planVerdict(asks: readonly Ask[], stack: RuleStack, worktree: string): PermissionAction {
  const verdicts = asks.flatMap((ask) => [
    ...askVerdicts(ask, stack, worktree),
    ...(ask.mustAsk ? [{ action: "ask" as const }] : []),
  ])
  return strictest(verdicts)?.action ?? "ask"
}

/** A verdict for each pattern of an ask, and for what is opaque in it. */
export function askVerdicts(ask: Ask, given: RuleStack, worktree: string): (Verdict & { readonly text: string })[] {
  const stack = ask.bounded ? withoutLookOnly(given) : given
  const alone = ask.commands?.every((part) => part.free) ?? false
  const verdicts = ask.patterns.map((text) => {
    const parts = ask.commands?.filter((one) => one.text === text) ?? []
    const verdict =
      strictest(parts.map((part) => decidePart(stack, ask.permission, part, alone))) ??
      decide(stack, ask.permission, subjectOf(ask.permission, text, worktree))
    return { ...verdict, text }
  })
  verdicts.push(...belowVerdicts(ask, stack, worktree))
  if (!ask.opaque) return verdicts
  return [...verdicts, { ...decideOpaque(stack, ask.permission, ask.opaque.text), text: ask.opaque.text }]
}

/** What the rules say against a part of a directory that is read or changed whole. */
function belowVerdicts(ask: Ask, stack: RuleStack, worktree: string): (Verdict & { readonly text: string })[] {
  if (!ask.below) return []
  const narrow = stack
    .flat()
    .filter(
      (rule) => covers(rule, ask.permission) && rule.action !== "allow" && !isGeneral({ action: rule.action, rule }),
    )
  const change = ask.permission === "edit"
  // Files of secrets stand among the patterns already where it only reads.
  const open = narrow.find((rule) => change || !rule.pattern.includes(".env"))
  if (!open) return []
  const { paths, complete } = ask.below()
  const worst = strictest(
    paths.map((text) => ({ ...decide(stack, ask.permission, subjectOf(ask.permission, text, worktree)), text })),
  )
  const found = worst && worst.action !== "allow" ? [worst] : []
  return complete || !change ? found : [...found, { action: "ask", rule: open, text: ask.patterns[0] ?? "" }]
}

/** The rules that may decide, last first; the last of these is certain. */
function candidatesOf(rules: PermissionRuleset, text: string): Candidate[] {
  const found: Candidate[] = []
  for (const rule of rules.toReversed()) {
    const certain = wildcard(text, rule.pattern)
    if (!certain && !(/[\ufffe\uffff]/.test(text) && mayMatch(text, rule.pattern))) continue
    found.push({ action: rule.action, rule, certain })
    if (certain) return found
  }
  return [...found, { action: "ask", certain: true }]
}

/** Does a rule name what launches the command, down to the word that says so? */
function saysEnough({ launched = [] }: CommandPart, text: string, { rule }: Verdict): boolean {
  const prefixes = launched.filter((one) => one.text === text).map(({ prefix }) => prefix)
  return prefixes.length === 0 || prefixes.some((prefix) => rule?.pattern.startsWith(prefix))
}

const isGeneral = ({ rule }: Verdict): boolean => rule === undefined || /^\*+$/.test(rule.pattern)
