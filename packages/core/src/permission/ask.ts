import type { Below } from "./below.ts"
import type { PermissionHunk } from "@cairn/schema/permission"

/** One command of a line, by every text that a rule may name it by. Parts that are not known are holes (`shell/syntax.ts`). */
export interface CommandPart {
  /** As it is shown; one of the ask's `patterns`. */
  readonly text: string
  /** A rule for any of these allows it. */
  readonly named: readonly string[]
  /** Those of `named` that only a pattern allows which begins so. */
  readonly launched?: readonly { readonly text: string; readonly prefix: string }[]
  /** A rule for one of these can only deny it, or want it asked for. */
  readonly also: readonly string[]
  /** Texts of which nobody knows whether they are commands: a rule that denies one wants it asked for. */
  readonly maybe?: readonly string[]
  /** It does nothing by itself: the general rule does not speak of it when it stands beside others. */
  readonly free: boolean
  /** What could be lost by it. */
  readonly destructive?: string
  /** What denies it or wants it asked for may be written in other letters, small or capital. */
  readonly caseless?: boolean
}

/** What a tool asks before it acts: `Ask` of `tool/define.ts`, and what a command line needs besides. */
export interface Ask {
  readonly permission: string
  /** What will happen: real paths, or commands. The strictest verdict over them counts. */
  readonly patterns: readonly string[]
  /** What else it reaches, below directories among `patterns`. Looked for when a rule could speak of a part of them. */
  readonly below?: () => Below
  /** What an `always` would approve. Empty: only `once` is offered. */
  readonly always: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The parts of an edit that may be approved one by one; in `metadata.hunks` of the request. */
  readonly hunks?: readonly PermissionHunk[]
  /** The commands behind `patterns`; a pattern without one is nothing but its text. */
  readonly commands?: readonly CommandPart[]
  /** A reason to ask whatever the rules allow. Deny still denies; `protected` can be approved once only, and never by `auto`. */
  readonly mustAsk?: { readonly reason: string; readonly protected?: boolean }
  /** The part that nobody can read before it runs: no pattern narrower than `*` allows it. */
  readonly opaque?: { readonly text: string; readonly reason: string }
  /** A sandbox keeps it from writing: a read-only agent may run any command. */
  readonly bounded?: boolean
}
