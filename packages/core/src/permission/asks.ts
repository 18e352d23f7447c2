import type { Ids } from "@cairn/kernel/id"
import { err, ok, type Result } from "@cairn/kernel/result"
import { noSpan, type Span } from "@cairn/kernel/span"
import { abortable } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type {
  AskMode,
  ReplyProblem,
  PermissionPart,
  PermissionReply,
  PermissionRequest,
} from "@cairn/schema/permission"
import { type Approvals, approved } from "./approvals.ts"
import type { Ask } from "./ask.ts"
import { askVerdicts } from "./command-verdict.ts"
import { type RuleStack, ruleText, strictest, type Verdict } from "./rule.ts"

/** Whose ask it is, and by which rules. */
export interface AskScope {
  readonly sessionID: string
  readonly agent: string
  /** The sessions above a subagent's, the nearest first. */
  readonly parents?: readonly string[]
  readonly rules: RuleStack
  readonly mode: AskMode
  /** Real path of the worktree root. */
  readonly worktree: string
  readonly signal: AbortSignal
  readonly tool?: { readonly messageID: string; readonly callID: string }
  /** What asks. */
  readonly span?: Span
  /** Called when an ask was refused because nobody could give the approval. */
  readonly onUnanswered?: (request: PermissionRequest) => void
}

/** `hunks`: only these of the ask, by their numbers, in order and each once; absent: all. Never empty. */
export interface Approval {
  readonly hunks?: readonly number[]
}

export interface AsksOptions {
  /** Makes events durable and publishes them, all or none, before it returns. */
  append(sessionID: string, events: DurableEvent[]): void
  readonly ids: Pick<Ids, "next">
  /** What is approved now, for this session and for its project. Read at each ask: another process may add and remove. */
  approvals(sessionID: string): Approvals
}

/**
 *     ask ─ deny ──────────────────────────────► denied (the rule is named)
 *      │── allow, or approved ─────────────────► ok
 *      └── ask: `permission.asked` is durable
 *             ├ once, always ──────────────────► ok          (always: also what else is pending and now covered)
 *             ├ reject with a message, nobody ─► denied      (goes to the model)
 *             ├ reject ────────────────────────► rejected    (ends the turn; the session's other asks are rejected too)
 *             └ interrupted: a reject is durable, rejects with the signal's reason
 *
 * Every `permission.asked` gets exactly one `permission.replied`.
 */
export interface Asks {
  ask(ask: Ask, scope: AskScope): Promise<Result<Approval, ToolFailure>>
  /** Answers a pending ask. A reply that does not fit the ask leaves it pending. */
  reply(requestID: string, reply: PermissionReply): Result<void, ReplyProblem>
  /** Asks of this process that wait for an answer, oldest first. */
  pending(sessionID?: string): PermissionRequest[]
}

interface Waiting {
  readonly request: PermissionRequest
  readonly ask: Ask
  readonly scope: AskScope
  settle(result: Result<Approval, ToolFailure>): void
}

const nobody = "This needs an approval, and nobody is here to give it."
const together = "Not run: the user rejected another call that was waiting at the same time."

export function createAsks(options: AsksOptions): Asks {
  const waiting = new Map<string, Waiting>()
  const isApproved = (ask: Ask, scope: AskScope) => {
    const { session, project } = options.approvals(scope.sessionID)
    const allowed = (text: string) =>
      verdictsOf({ ...ask, patterns: [text] }, scope).every(({ action }) => action === "allow")
    return approved(ask, [...project, ...session], scope.worktree, allowed)
  }

  // Taken out before the append: a listener of the bus may answer again. Put back when the log cannot be written.
  const settle = (one: Waiting, reply: PermissionReply, result: Result<Approval, ToolFailure>) => {
    if (!waiting.delete(one.request.id)) return
    try {
      options.append(one.scope.sessionID, [replied(one.request, reply)])
    } catch (error) {
      waiting.set(one.request.id, one)
      throw error
    }
    one.settle(result)
  }

  return {
    async ask(ask, scope) {
      scope.signal.throwIfAborted()
      const verdict = verdictOf(ask, scope)
      if (verdict.action === "deny") return err(deniedBy(ask, verdict))
      if (verdict.action === "allow" && !ask.mustAsk) return ok({})
      if (isApproved(ask, scope)) return ok({})
      const request = requestOf(ask, scope, options.ids.next("permission"))
      using span = askSpan(scope, ask.permission)
      const asked: DurableEvent = { type: "permission.asked", properties: request }

      const automatic = scope.mode === "auto" && ask.permission !== "doom_loop" && !ask.mustAsk?.protected
      if (automatic) {
        options.append(scope.sessionID, [asked, replied(request, { reply: "once" })])
        span.set({ "cairn.ask.answer": "auto" })
        return ok({})
      }
      if (scope.mode !== "wait") {
        options.append(scope.sessionID, [asked, replied(request, { reply: "reject", message: nobody })])
        span.fail("nobody")
        scope.onUnanswered?.(request)
        return err({ kind: "denied", message: `${nobody} ${whyAsked(ask, verdict)}` })
      }

      const answer = Promise.withResolvers<Result<Approval, ToolFailure>>()
      waiting.set(request.id, { request, ask, scope, settle: answer.resolve })
      try {
        options.append(scope.sessionID, [asked])
      } catch (error) {
        waiting.delete(request.id)
        throw error
      }
      try {
        const answered = await abortable(answer.promise, scope.signal)
        span.set({ "cairn.ask.answer": answered.ok ? "allowed" : answered.error.kind })
        return answered
      } catch (error) {
        span.fail("interrupted")
        // The answer may have come in the same tick as the interruption: then it stands.
        if (waiting.delete(request.id)) {
          options.append(scope.sessionID, [replied(request, { reply: "reject", message: "interrupted" })])
        }
        throw error
      }
    },

    reply(requestID, given) {
      const one = waiting.get(requestID)
      if (!one) return err({ kind: "unknown", message: `no ask ${requestID} waits` })
      const fitted = fitReply(given, one)
      if (!fitted.ok) return fitted
      const reply = fitted.value
      if (reply.reply === "reject") {
        const message = reply.message?.trim()
        settle(one, reply, err(message ? { kind: "denied", message: `The user refused: ${message}` } : rejected))
        for (const other of [...waiting.values()].filter((each) => each.scope.sessionID === one.scope.sessionID)) {
          const failure: ToolFailure = message ? { kind: "denied", message: together } : rejected
          settle(other, { reply: "reject", ...(message && { message: together }) }, err(failure))
        }
        return ok(undefined)
      }
      settle(one, reply, ok(reply.hunks ? { hunks: reply.hunks } : {}))
      if (reply.reply !== "always") return ok(undefined)
      for (const other of waiting.values()) {
        if (isApproved(other.ask, other.scope)) settle(other, { reply: "once" }, ok({}))
      }
      return ok(undefined)
    },

    pending(sessionID) {
      const requests = [...waiting.values()].map((one) => one.request)
      return sessionID === undefined ? requests : requests.filter((request) => request.sessionID === sessionID)
    },
  }
}

/** The reply as it counts: `always` where that is offered, hunks in order and each once. No hunk at all is a reject. */
function fitReply(given: PermissionReply, { ask, request }: Waiting): Result<PermissionReply, ReplyProblem> {
  const { hunks, ...plain } = given
  const reply = plain.reply === "always" && request.always.length === 0 ? { ...plain, reply: "once" as const } : plain
  if (hunks === undefined || reply.reply === "reject") return ok(reply)
  const most = ask.hunks?.length ?? 0
  const wrong = hunks.find((number) => !Number.isInteger(number) || number < 0 || number >= most)
  if (most === 0) return err({ kind: "hunks", message: `the ask ${request.id} has no hunks to choose from` })
  if (wrong !== undefined)
    return err({ kind: "hunks", message: `the ask ${request.id} has no hunk ${wrong}: they are 0 to ${most - 1}` })
  if (hunks.length === 0) return ok({ ...reply, reply: "reject" })
  return ok({ ...reply, hunks: [...new Set(hunks)].toSorted((a, b) => a - b) })
}

/** What it is about in a word; never the command or path. */
const askSpan = ({ span = noSpan }: AskScope, permission: string): Span =>
  span.span(`ask ${permission}`, { "cairn.kind": "ask", "cairn.ask.permission": permission })

const rejected: ToolFailure = { kind: "rejected", message: "The user rejected this call." }

function verdictOf(ask: Ask, scope: Pick<AskScope, "rules" | "worktree">): Verdict & { text?: string } {
  const verdicts = verdictsOf(ask, scope)
  return strictest(verdicts) ?? { action: "ask" }
}

const verdictsOf = (ask: Ask, { rules, worktree }: Pick<AskScope, "rules" | "worktree">) =>
  askVerdicts(ask, rules, worktree)

function requestOf(ask: Ask, scope: AskScope, id: string): PermissionRequest {
  const reasons = [...new Set([ask.mustAsk?.reason, ask.opaque?.reason])].filter((reason) => reason !== undefined)
  return {
    id,
    sessionID: scope.sessionID,
    permission: ask.permission,
    patterns: ask.opaque ? [...ask.patterns, ask.opaque.text] : [...ask.patterns],
    metadata: {
      ...ask.metadata,
      agent: scope.agent,
      ...(scope.parents && scope.parents.length > 0 && { parents: scope.parents }),
      ...(ask.hunks && { hunks: ask.hunks }),
      ...(reasons.length > 0 && { reason: reasons.join("; ") }),
      parts: partsOf(ask, scope),
    },
    always: ask.mustAsk?.protected || ask.opaque ? [] : [...ask.always],
    ...(scope.tool && { tool: { ...scope.tool } }),
  }
}

function partsOf(ask: Ask, scope: AskScope): PermissionPart[] {
  return verdictsOf(ask, scope).map(({ text, action, rule }) => {
    const lost = ask.commands?.find((part) => part.text === text)?.destructive
    const opaque = text === ask.opaque?.text ? ask.opaque.reason : undefined
    const reason = opaque ?? ask.mustAsk?.reason ?? (rule ? `the rule ${ruleText(rule)}` : "no rule speaks of it")
    return {
      text,
      verdict: opaque !== undefined && ask.mustAsk && action === "allow" ? "ask" : action,
      ...(rule && { rule }),
      reason: lost === undefined ? reason : `${reason}; ${lost}`,
      ...(lost !== undefined && { destructive: true }),
    }
  })
}

function deniedBy(ask: Ask, verdict: Verdict & { text?: string }): ToolFailure {
  const what = verdict.text === undefined ? ask.permission : `${ask.permission} ${shorten(verdict.text)}`
  const by = verdict.rule ? `the rule ${ruleText(verdict.rule)}` : "the rules"
  return {
    kind: "denied",
    message: `Not allowed: ${what} is denied by ${by}. Do not try another way to the same end; go on without it.`,
  }
}

function whyAsked(ask: Ask, verdict: Verdict & { text?: string }): string {
  const what = `${ask.permission} ${shorten(verdict.text ?? "")}`.trim()
  const why =
    ask.mustAsk?.reason ??
    ask.opaque?.reason ??
    (verdict.rule ? `the rule ${ruleText(verdict.rule)}` : "no rule allows it")
  return `Asked: ${what} (${why}).`
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

function replied(request: PermissionRequest, reply: PermissionReply): DurableEvent {
  return { type: "permission.replied", properties: { sessionID: request.sessionID, requestID: request.id, ...reply } }
}
