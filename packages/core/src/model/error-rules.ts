import type { ErrorClass } from "@cairn/schema/error"

/** What a rule sees: one line of text made of message, code and body, and the status. */
export interface Evidence {
  readonly status: number | undefined
  readonly text: string
  readonly code: string | undefined
}

interface Rule {
  readonly class: ErrorClass
  /** What the user can do about it; `{provider}` stands for its name. */
  readonly advice: string
  readonly status?: readonly number[]
  readonly code?: RegExp
  readonly text?: RegExp
}

const overflowText =
  /prompt is too long|input is too long|request too large for model|context[ _-]?length[ _-]?exceeded|\bcontext_length\b(?!['"])|maximum context length|exceeds? (?:the )?(?:model'?s? )?(?:maximum |available )?context|context window|input token count .{0,40}exceeds|maximum (?:number of )?(?:input )?tokens|maximum prompt length|max(?:imum)?[ _]tokens? .{0,60}exceed|too many (?:input )?tokens|reduce the length of the (?:messages|prompt|input)|token limit exceeded|tokens exceed|range of input length|exceed_context_size|model_context_window_exceeded|larger than the (?:maximum )?context|\bn_ctx\b(?!['"])|request_too_large|exceeds the limit of \d+|total tokens .{0,40}exceed|(?:greater|longer) than the (?:maximum )?(?:model|context)|context the overflows|reached context length|exceeded model token limit|inputs?\W? tokens \+ \W?max_new_tokens\W? must be|must have (?:less|fewer) than \d+ tokens|prompt exceeds max/i
/** What is about a field of the request, whatever its name reminds of. */
const fieldText =
  /invalid schema for|invalid_function_parameters|unknown (?:parameter|name|field)|unknown_parameter|unrecognized request argument|unsupported[ _]parameter|extra inputs are not permitted/i
const answerLimitText = /max_\w*tokens\b.{0,60}(?:maximum|limit).{0,30}(?:output|completion) tokens/i
const filterText =
  /content[ _-]?filter|content management policy|content[ _-]policy|responsible ?ai|prohibited[ _]content|blocked by .{0,30}(?:safety|policy|filter)|safety (?:system|settings|filter|reasons)|flagged (?:as|for|by)|data_inspection_failed|sensitive (?:words|content)|moderation|usage policies/i
const quotaText =
  /insufficient[ _](?:quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low|billing|payment required|out of credits|no credits|account .{0,30}(?:suspended|deactivated|overdue)|arrears|spend(?:ing)? limit|monthly limit/i
const authText =
  /invalid[ _-]?(?:x-)?api[ _-]?key|incorrect api key|api[ _]?key not valid|api_key_invalid|no api key|missing (?:api key|authentication)|authentication[ _](?:error|failed|fails)|unauthorized|unauthenticated|invalid (?:bearer )?token|token (?:has )?expired|expired token|permission[ _]denied|permission_error|access ?denied|forbidden|unrecognizedclient|user not found/i
const rateText =
  /rate[ _-]?limit|too many (?:concurrent )?requests|throttl|tokens per (?:min|day)|requests per (?:min|day)|resource[ _]?exhausted|quota exceeded|slow down|concurrency limit/i
/** A limit by the minute that also speaks of tokens or of the length of the prompt. */
const surelyRateText =
  /throttlingexception|rate_limit_error|please wait before trying again|rate limit of [\d,]+|tokens per min/i
const busyText =
  /overloaded|over capacity|at capacity|unavailable|server[ _]error|internal (?:server )?error|api_error|timed? ?out|timeout|deadline_?exceeded|try again|temporarily|model is (?:still )?loading|upstream|bad gateway|econnreset|socket hang up|connection (?:error|closed|reset)|network error|fetch failed|premature|stream ended|without a finish|terminated|no_instance|modelstreamerror|socket connection was closed|goaway|unexpected eof/i
const notFoundText =
  /model[ _-]?not[ _-]?found|model .{0,80}(?:does not exist|not found|not supported|is not available)|no such model|unknown model|not_found_error|no endpoints found/i

const tooLong = "The conversation is too long for the model. Say less at once, or choose a model with a larger context."
const overloadedAdvice = "This usually passes."

/** In order; the first that fits decides. */
const rules: readonly Rule[] = [
  { class: "aborted", code: /^(ABORT_ERR|AbortError|Interrupted)$/, advice: "The request was interrupted." },
  {
    class: "fatal",
    code: /^(foreign_origin|redirect|too_many_redirects)$/,
    advice: "Check the provider's baseURL in the config.",
  },
  { class: "fatal", code: /^too_large$/, advice: "The answer is larger than is sensible; ask for less at once." },
  {
    class: "retryable",
    code: /^(probe_\w+|ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)$/,
    advice: "Check that the server runs, the address (baseURL), and the network or proxy.",
  },
  {
    class: "retryable",
    code: /^(ENOTFOUND|EAI_AGAIN|ENODATA|DNSException)$/,
    advice: "The host is not known. Check the address (baseURL) and the network.",
  },
  {
    class: "fatal",
    code: /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^EPROTO$|ERR_TLS|ERR_SSL/,
    advice:
      "The secure connection failed. Check https or http in the baseURL; behind a company proxy set NODE_EXTRA_CA_CERTS.",
  },
  {
    class: "retryable",
    code: /^empty_answer$/,
    advice: "This usually passes; if not, check the provider's baseURL in the config.",
  },
  {
    class: "fatal",
    code: /^no_events$/,
    advice: "Check the provider's baseURL in the config, and that the server streams its answers.",
  },
  {
    class: "fatal",
    text: /expected a normalized anthropic stream error/i,
    advice: "{provider} sent what is not understood here; it may be newer than this program.",
  },
  { class: "fatal", code: /^web_page$/, advice: "The address answers with a web page. Check the provider's baseURL." },
  { class: "auth", code: /^AI_LoadAPIKeyError$/, advice: "The key was refused." },
  {
    class: "retryable",
    code: /^AI_(EmptyResponseBody|InvalidResponseData|JSONParse|TypeValidation)Error$/,
    advice: "The answer was cut or malformed.",
  },
  {
    class: "fatal",
    code: /^AI_(InvalidPrompt|InvalidArgument|UnsupportedFunctionality|NoSuchModel|LoadSetting)Error$/,
    advice: "The request cannot be sent to this model.",
  },
  {
    class: "retryable",
    code: /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|Connection\w+|UND_ERR_\w+|timeout_\w+|stream_cut)$/,
    advice: "The connection to {provider} was lost or stayed silent.",
  },
  { class: "overflow", status: [413], advice: tooLong },
  // Google says "quota" and "billing" for what passes within a minute, and tells when.
  {
    class: "rate_limit",
    status: [429],
    text: /retryDelay|per ?minute/i,
    advice: "{provider} limits how often it may be asked.",
  },
  {
    class: "fatal",
    status: [429, 402, 403, 400],
    text: quotaText,
    advice: "The account of {provider} has no credit or quota left. Check its billing page.",
  },
  { class: "rate_limit", status: [429], advice: "{provider} limits how often it may be asked." },
  {
    class: "rate_limit",
    status: [400, 424, 500],
    text: surelyRateText,
    advice: "{provider} limits how often it may be asked.",
  },
  { class: "fatal", status: [400, 422], text: fieldText, advice: "{provider} does not accept the request." },
  {
    class: "fatal",
    status: [400, 422],
    text: answerLimitText,
    advice: "The model gives shorter answers. Set limit.output of the model in the config.",
  },
  {
    class: "overflow",
    status: [400, 422, 424, 500],
    text: overflowText,
    advice: tooLong,
  },
  { class: "auth", status: [400], text: authText, advice: "The key was refused." },
  {
    class: "content_filter",
    status: [400, 403, 422, 451],
    text: filterText,
    advice: "{provider} refused the content. Rephrase the request.",
  },
  { class: "auth", status: [401, 403, 407], advice: "The key was refused." },
  { class: "fatal", status: [402], advice: "The account of {provider} has no credit left. Check its billing page." },
  { class: "fatal", status: [404, 405, 410], advice: "Check the model's id and the provider's baseURL." },
  { class: "retryable", status: [408, 409, 424, 425, 498, 529], advice: overloadedAdvice },
  { class: "rate_limit", status: [503], text: rateText, advice: "{provider} limits how often it may be asked." },
  { class: "fatal", status: [501, 505], advice: "The server does not support the request." },
  { class: "retryable", status: [500, 502, 503, 504, 520, 521, 522, 523, 524, 598, 599], advice: overloadedAdvice },
  { class: "fatal", status: [400, 422, 431], advice: "{provider} does not accept the request." },
  { class: "rate_limit", text: surelyRateText, advice: "{provider} limits how often it may be asked." },
  { class: "overflow", text: overflowText, advice: tooLong },
  {
    class: "fatal",
    text: quotaText,
    advice: "The account of {provider} has no credit or quota left. Check its billing page.",
  },
  { class: "rate_limit", text: rateText, advice: "{provider} limits how often it may be asked." },
  { class: "auth", text: authText, advice: "The key was refused." },
  { class: "fatal", text: notFoundText, advice: "Check the model's id and the provider's baseURL." },
  { class: "content_filter", text: filterText, advice: "{provider} refused the content. Rephrase the request." },
  {
    class: "fatal",
    text: /<!doctype html|<html/i,
    advice: "The address answers with a web page. Check the provider's baseURL.",
  },
  { class: "retryable", text: busyText, advice: overloadedAdvice },
]

export function matchRule(evidence: Evidence): Rule | undefined {
  return rules.find(
    ({ status, code, text }) =>
      (status === undefined || (evidence.status !== undefined && status.includes(evidence.status))) &&
      (code === undefined || (evidence.code !== undefined && code.test(evidence.code))) &&
      (text === undefined || text.test(evidence.text)),
  )
}
