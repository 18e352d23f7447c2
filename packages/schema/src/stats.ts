import type { Tokens } from "./model.ts"

/** Whose numbers, and since when. */
export interface StatsQuery {
  /** Days up to today, today included; absent: everything. */
  readonly days?: number
  /** `here`: the project of this directory; a path: the projects that worked in a directory that is gone. */
  readonly project: "all" | "here" | { readonly directory: string }
}

/** What calls of models have used. */
export interface Usage {
  readonly calls: number
  readonly tokens: Omit<Tokens, "total">
  /** US dollars; what had no price is not in it. */
  readonly cost: number
  /** Calls whose price was not known. */
  readonly unpriced: number
  /** Of the tokens in, the part that the provider's cache gave; 0 to 1. */
  readonly cacheHitRate: number
}

export interface DayUsage extends Usage {
  /** On the clock of this machine: `2026-11-30`. */
  readonly date: string
}

export interface ModelUsage extends Usage {
  readonly providerID: string
  readonly modelID: string
}

export interface AgentUsage extends Usage {
  /** `title` and `compaction` are calls beside the conversation. */
  readonly agent: string
}

export interface ProjectUsage extends Usage {
  readonly id: string
  /** Root of its working tree, or where its sessions worked; absent when all of them are deleted. */
  readonly directory?: string
  readonly sessions: number
}

/** A session with all its subagents. */
export interface SessionUsage extends Usage {
  readonly id: string
  readonly title: string
  readonly directory: string
  readonly subagents: number
}

/** What a tool costs in context. Tokens are estimates, four bytes each. Deleted sessions are not in it. */
export interface ToolUsage {
  readonly tool: string
  readonly calls: number
  readonly failures: number
  /** Requests that its schema was sent with. */
  readonly requests: number
  /** Of its schema, summed over those requests; most of them are read from the provider's cache. */
  readonly schemaTokens: number
  /** Of its results, each counted once. */
  readonly outputTokens: number
}

export interface Stats {
  /** Milliseconds since 1970; `from` is absent when everything is meant. */
  readonly from?: number
  readonly to: number
  readonly totals: Usage & {
    /** With a call in this time, subagents and deleted ones included. */
    readonly sessions: number
    readonly subagents: number
    readonly deleted: number
  }
  /** Oldest first; days without a call are left out. */
  readonly days: readonly DayUsage[]
  /** What cost most comes first in these, then what used most tokens; the tail of a very long list is left out. */
  readonly models: readonly ModelUsage[]
  readonly agents: readonly AgentUsage[]
  readonly projects: readonly ProjectUsage[]
  readonly sessions: readonly SessionUsage[]
  /** By tokens of schema and results together. */
  readonly tools: readonly ToolUsage[]
}
