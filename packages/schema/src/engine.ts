import type { Result } from "@cairn/kernel/result"
import type { Agent } from "./agent.ts"
import type { Auth } from "./auth.ts"
import type { Config } from "./config.ts"
import type { SetupError, ErrorClass, MessageError } from "./error.ts"
import type { BusEvent, TurnEnd } from "./event.ts"
import type { EventLog } from "./event-log.ts"
import type { MessageWithParts, OutputFormat } from "./message.ts"
import type { Part } from "./part.ts"
import type { ModelRef, Tokens } from "./model.ts"
import type {
  AskMode,
  PermissionApproval,
  PermissionReply,
  PermissionRequest,
  PermissionRuleset,
  ReplyProblem,
} from "./permission.ts"
import type { Delivery, InboxChange, InboxItem, PromptPart } from "./prompt.ts"
import type { QuestionAnswer, QuestionRequest } from "./question.ts"
import type { Session, SessionFilter, SessionStatus } from "./session.ts"
import type { Collected } from "./history.ts"
import type { ModelInfo, ModelScope } from "./model-info.ts"
import type { DiffInput, FileDiffReport, RevertInput, RevertReport } from "./revert.ts"
import type { SearchPage, SearchProgress, SearchRequest } from "./search.ts"
import type { ProjectChange, ProjectInfo } from "./project.ts"
import type { ProviderList } from "./provider.ts"
import type { Stats, StatsQuery } from "./stats.ts"
import type { SessionTrace } from "./trace.ts"
import type { Todo } from "./todo.ts"
import type { Files } from "./file.ts"
import type { Trust } from "./trust.ts"
import type { Vcs } from "./vcs.ts"

export interface PromptInput {
  readonly sessionID: string
  readonly parts: readonly PromptPart[]
  readonly model?: ModelRef
  /** How the model is called, mostly how long it thinks: one of its variants. */
  readonly variant?: string
  readonly agent?: string
  readonly delivery?: Delivery
  /** What its message is called, where clients number theirs themselves: as the engine's ids, and later than the session's last. One that is there already is an error. */
  readonly messageID?: string
  readonly asks?: AskMode
  /** Tools that the session has (`true`) or has not (`false`) from this prompt on. */
  readonly tools?: Readonly<Record<string, boolean>>
  /** Stands at the end of the system prompt while this prompt is answered. */
  readonly system?: string
  /** The form of the result: with a schema, the outcome has it as `structured`, or a StructuredOutputError. */
  readonly format?: OutputFormat
  /** The prompt is stored and no model is called; what comes next sees it. Then the outcome is `done`, without text. */
  readonly noReply?: boolean
}

/** A command line of the user's own. */
export interface ShellInput extends Pick<PromptInput, "sessionID" | "agent" | "model" | "messageID"> {
  readonly command: string
}

/** How a prompt's turn ended. Everything a headless run reports comes from here. */
export interface TurnOutcome {
  readonly sessionID: string
  readonly reason: TurnEnd
  /** The message that holds the answer: the turn's last; the prompt itself when nobody was to answer it and it is stored. */
  readonly messageID?: string
  /** The answer: text of the last assistant message, without synthetic text. */
  readonly text: string
  /** The result that the prompt's `format` asked for. */
  readonly structured?: unknown
  /** Summed over the turn's steps. */
  readonly tokens: Tokens
  readonly cost: number
  readonly error?: MessageError
  readonly errorClass?: ErrorClass
  /** Asks that nobody could approve. */
  readonly denied: number
  /** What the user should know although nothing went wrong. */
  readonly note?: string
}

/** Where this process keeps things. All absolute. */
export interface EnginePaths {
  readonly home: string
  readonly config: string
  readonly data: string
  readonly state: string
  readonly cache: string
  readonly database: string
  readonly log: string
  readonly toolOutput: string
  /** Contents of files as they were before the agent changed them. */
  readonly blobs: string
}

/** The effective configuration for a person to look at: secrets replaced, each source named. */
export interface ConfigView {
  readonly config: Config
  readonly sources: readonly { readonly path: string; readonly layer: string }[]
  readonly warnings: readonly string[]
}

/** Outcome of replaying the log beside the tables. `problems` is empty when every column of every row is equal. */
export interface VerifyReport {
  readonly sessions: number
  readonly events: number
  readonly problems: readonly string[]
}

/** What beside its name decides which model is called, and how. */
export interface ModelChoice {
  readonly agent?: string
  readonly variant?: string
  /** Its last model is used again. */
  readonly sessionID?: string
}

/** Only what holds for the session in which it was given, or for the project; only what was given in one session. */
export interface ApprovalFilter {
  readonly scope?: PermissionApproval["scope"]
  readonly sessionID?: string
}

/** What a session begins with. */
export interface SessionInput {
  readonly title?: string
  readonly parentID?: string
  readonly agent?: string
  readonly model?: ModelRef
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Rules of this session, behind all others. */
  readonly permission?: PermissionRuleset
}

/** What a person may change of a session. */
export interface SessionChange {
  readonly title?: string
  readonly metadata?: Record<string, unknown>
  readonly permission?: PermissionRuleset
  /** When it was put away, ms since the epoch. */
  readonly archived?: number
}

/** The newest messages, at most `limit`; `before`: the newest of those that came before this message. */
export interface MessagePage {
  readonly limit: number
  readonly before?: string
}

/**
 * The engine of one directory. Clients (command line, server) use this and nothing below it.
 * Disposing interrupts the runs of this process, records their end, and joins everything.
 */
export interface Engine extends AsyncDisposable {
  readonly directory: string
  readonly worktree: string
  readonly paths: EnginePaths
  /** Things the user should know but need not act on now: unknown config keys, a database set aside. */
  readonly warnings: readonly string[]
  configView(): ConfigView
  /**
   * Puts what is given into the config file of the project or of the user; objects are merged, anything else is replaced.
   * Gives the config as the next engine will have it: this one stays as it is.
   */
  updateConfig(scope: "project" | "user", change: Config): Promise<Result<Config, SetupError>>
  /** Keeps the key of a provider, or what else reaches it, or (without) forgets it. Holds from the next prompt on. */
  saveAuth(providerID: string, auth: Auth | undefined): Promise<Result<void, SetupError>>
  /** How far this directory is trusted, and what its files would do with that. Nothing is run. */
  trust(): Promise<Trust>
  /** From the next start on: trusts the directory as it was `seen`, or no more. */
  saveTrust(seen: Pick<Trust, "surface"> | undefined): Promise<Result<void, SetupError>>
  verify(): Promise<VerifyReport>
  /** Takes away the contents for undo that nothing names any more or that are over the quota; with `dryRun` it only counts them. */
  collect(options: { dryRun: boolean }): Promise<Collected>
  /** The model that a prompt gets that names `ref` (or none), before anything is stored. */
  checkModel(ref?: string, by?: ModelChoice): Promise<Result<ModelRef, SetupError>>
  /** Models that are to take over from this one (`model_fallback`) and cannot, and why. A name that means nothing is an error. */
  checkFallback(model: ModelRef, agent: string): Result<readonly string[], SetupError>
  /** A primary agent by name, or the configured default. */
  checkAgent(name?: string): Result<string, SetupError>
  /** Files of a prompt that the model gets no more of than a note, a sentence each. */
  leftOut(model: ModelRef, parts: readonly PromptPart[]): string[]
  /** Models whose `provider/model` contains `filter` (case aside), sorted. Nothing is sent anywhere. */
  models(filter: string, scope: ModelScope): ModelInfo[]
  /** At most three `provider/model` that may have been meant by `text`, best first. */
  suggestModels(text: string): string[]
  /** Every agent that is not disabled, built-in ones first. */
  agents(): Agent[]
  /** What could be called as things are, and the names of the other providers. Nothing is sent anywhere. */
  providers(): Promise<ProviderList>
  /** The project of this directory. */
  project(): Promise<ProjectInfo>
  /** Every project that has sessions in the database. */
  projects(): ProjectInfo[]
  /** Undefined when there is no such project. */
  updateProject(projectID: string, change: ProjectChange): ProjectInfo | undefined
  /** Directories in which sessions of a project worked. */
  projectDirectories(projectID: string): string[]
  todos(sessionID: string): Todo[]
  /** The directory for a person to look at, by the rules of the default agent. */
  files(): Promise<Files>
  /** What git says of the working tree. */
  vcs(): Promise<Vcs>
  createSession(input: SessionInput): Promise<Session>
  /** Copies a session up to a message, which is not in the copy, or whole, into a new one. Files stay as they are. */
  forkSession(sessionID: string, messageID?: string): Promise<Result<Session, SetupError>>
  session(sessionID: string): Session | undefined
  sessions(filter: SessionFilter): Promise<Session[]>
  /**
   * Parts in which every word of the query stands, best first: how well they fit, and how new they are. What is not in the
   * search index yet is put there first.
   */
  search(request: SearchRequest, progress?: SearchProgress): Promise<Result<SearchPage, SetupError>>
  /** Builds the search index again from what is stored. */
  rebuildSearch(progress?: SearchProgress): Promise<Result<void, SetupError>>
  /** Oldest first: all of them, or a page. A part that is open has the text that subscribers have seen. */
  messages(sessionID: string, page?: MessagePage): MessageWithParts[]
  message(sessionID: string, messageID: string): MessageWithParts | undefined
  /** Sessions that were begun from this one, oldest first. */
  children(sessionID: string): Session[]
  /** Whether the session belongs to the project of this directory. */
  isOfProject(session: Session): Promise<boolean>
  /** Prompts that wait, in the order in which they will be taken. */
  inbox(sessionID: string): InboxItem[]
  /** Changes a prompt that waits, and begins it when it was held and the session is idle, also while another process runs the session. An error once a turn has taken it. */
  changeInbox(sessionID: string, inboxID: string, change: InboxChange): Result<InboxItem, SetupError>
  /** Takes a prompt that waits back: it is never answered. An error once a turn has taken it. */
  cancelInbox(sessionID: string, inboxID: string): Result<void, SetupError>
  /** Where the session's time went, from its log alone. Undefined when there is no such session. */
  trace(sessionID: string): Promise<SessionTrace | undefined>
  /** What was spent and on what, from one snapshot. Changes nothing, also while another process works. */
  stats(query: StatsQuery): Promise<Stats>
  updateSession(sessionID: string, change: SessionChange): Session | undefined
  /** Removes the session, all below it, and what was said in them. Refused while another process runs one of them; runs of this process are aborted first. */
  deleteSession(sessionID: string): Promise<Result<void, SetupError>>
  /**
   * Accepts a prompt and resolves when the turn that answers it has ended. The prompt is durable before
   * this returns its promise's first step. Setup errors append nothing. Abort it by `abort(sessionID)`.
   */
  prompt(input: PromptInput): Promise<Result<TurnOutcome, SetupError>>
  /**
   * Takes back what the session did from a message or part on: files are restored where nobody changed them since, merged
   * where that is possible, left alone otherwise. What was said is hidden, and goes with the next prompt. Refused while
   * the session runs.
   */
  revert(sessionID: string, input: RevertInput): Promise<Result<RevertReport, SetupError>>
  /** What the session changed in files, without what is reverted. */
  diff(sessionID: string, input?: DiffInput): Promise<Result<FileDiffReport[], SetupError>>
  /** Brings back all that is reverted. */
  unrevert(sessionID: string, options?: { readonly dryRun?: boolean }): Promise<Result<RevertReport, SetupError>>
  /**
   * Runs a command line that the user typed in an idle session. The model sees it, with its output, from the next prompt on.
   * Nothing is asked. Abort it by `abort(sessionID)`.
   */
  shell(input: ShellInput): Promise<Result<TurnOutcome, SetupError>>
  /** Takes a message with its parts out of an idle session. */
  deleteMessage(sessionID: string, messageID: string): Promise<Result<void, SetupError>>
  deletePart(sessionID: string, messageID: string, partID: string): Promise<Result<void, SetupError>>
  /** Replaces a part of an idle session by another one of its type. */
  updatePart(part: Part): Promise<Result<Part, SetupError>>
  /** Replaces the older part of an idle session by a summary, with the session's model or another one. */
  compact(sessionID: string, model?: ModelRef): Promise<Result<TurnOutcome, SetupError>>
  /** Interrupts the run of this process and resolves when its last event stands. False when nothing ran here. */
  abort(sessionID: string): Promise<boolean>
  status(sessionID: string): SessionStatus
  /** Of every session that runs in this process, by its id. */
  statuses(): Record<string, SessionStatus>
  /** Events from now on, in order, of every session of this process. Returns how to stop. A listener must not throw. */
  subscribe(listener: (event: BusEvent) => void): () => void
  /** `subscribe`, and the deltas that are stored (with `seq`), whose text was published before: every entry that this engine appends. */
  follow(listener: (event: BusEvent) => void): () => void
  /** The log of the file, which holds the events of other processes too. */
  readonly log: EventLog
  /** Parts that turns of this engine have begun and not finished, with the text that subscribers have seen. */
  openParts(sessionID?: string): Part[]
  /** What was approved for good in this project, oldest first. */
  approvals(filter?: ApprovalFilter): Promise<PermissionApproval[]>
  /** Takes approvals back, for every process from its next ask on, and gives those that were. All or none of the ids. */
  removeApprovals(ids: readonly string[]): Promise<Result<PermissionApproval[], SetupError>>
  /** Asks of this process that wait, oldest first. What a dead process asked was answered with a reject when it was noticed. */
  pendingAsks(sessionID?: string): PermissionRequest[]
  /** Answers an ask of this process. A reply that does not fit the ask leaves it pending. */
  replyPermission(requestID: string, reply: PermissionReply): Result<void, ReplyProblem>
  /** Questions of this process that wait for an answer, oldest first. */
  pendingQuestions(sessionID?: string): QuestionRequest[]
  /** Labels or own words, a list for each question. False when nothing of that id waits here. */
  replyQuestion(requestID: string, answers: readonly QuestionAnswer[]): boolean
  /** The user will not answer: that ends the turn, unless a message tells the model how to go on. */
  rejectQuestion(requestID: string, message?: string): boolean
}
