import type { PermissionPart } from "@cairn/schema/permission"

/** What a tool asks before it acts: `Ask` of `tool/define.ts`, and what a command line needs besides. */
export interface Ask {
  readonly permission: string
  /** What will happen: real paths, or commands. The strictest verdict over them counts. */
  readonly patterns: readonly string[]
  /** What an `always` would approve. Empty: only `once` is offered. */
  readonly always: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Of these `text` and `destructive` are taken; verdict, rule and reason are filled in when it is decided. */
  readonly parts?: readonly PermissionPart[]
  /** A reason to ask whatever the rules allow. Deny still denies; `protected` can be approved once only, and never by `auto`. */
  readonly mustAsk?: { readonly reason: string; readonly protected?: boolean }
  /** The part that nobody can read before it runs: no pattern narrower than `*` allows it. */
  readonly opaque?: { readonly text: string; readonly reason: string }
}
