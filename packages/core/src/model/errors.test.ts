import { TypeValidationError } from "@ai-sdk/provider"
import { expect, test } from "bun:test"
import { APICallError, EmptyResponseBodyError, InvalidPromptError, LoadAPIKeyError } from "@ai-sdk/provider"
import { Interrupted } from "@cairn/kernel/interrupted"
import { type ErrorClass, MessageError } from "@cairn/schema/error"
import fc from "fast-check"
import { NetError } from "../net/error.ts"
import { classify, classifyData, type ErrorData, toMessageError } from "./errors.ts"

const context = { providerID: "p", providerName: "Provider" }
const kind = (data: Partial<ErrorData>) => classifyData({ providerID: "p", ...data }).class

test.each<[ErrorClass, Partial<ErrorData>]>([
  [
    "overflow",
    {
      status: 400,
      body: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}',
    },
  ],
  [
    "overflow",
    {
      status: 400,
      body: '{"error":{"code":"context_length_exceeded","message":"This model\'s maximum context length is 128000 tokens."}}',
    },
  ],
  [
    "overflow",
    { status: 400, message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)." },
  ],
  ["overflow", { status: 400, message: "Input is too long for requested model." }],
  ["overflow", { status: 413, message: "Request too large" }],
  ["overflow", { status: 500, body: "the request exceeds the available context size. try increasing n_ctx" }],
  ["overflow", { message: "This model's maximum prompt length is 131072 but the request contains 200000 tokens." }],
  ["rate_limit", { status: 429, message: "Rate limit reached for gpt-4o" }],
  ["rate_limit", { status: 429, body: "" }],
  [
    "rate_limit",
    {
      status: 429,
      body: '{"error":{"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details.","details":[{"retryDelay":"20s"}]}}',
    },
  ],
  ["rate_limit", { code: "rate_limit_error", message: "slow down" }],
  ["rate_limit", { message: "ThrottlingException: Too many requests, please wait" }],
  [
    "fatal",
    {
      status: 429,
      body: '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}}',
    },
  ],
  ["fatal", { status: 400, message: "Your credit balance is too low to access the Anthropic API." }],
  ["fatal", { status: 402, message: "Insufficient Balance" }],
  ["auth", { status: 401, message: "invalid x-api-key" }],
  ["auth", { status: 403, message: "Forbidden" }],
  [
    "auth",
    {
      status: 400,
      body: '{"error":{"status":"INVALID_ARGUMENT","message":"API key not valid. Please pass a valid API key."}}',
    },
  ],
  ["auth", { code: "authentication_error", message: "invalid x-api-key" }],
  [
    "content_filter",
    {
      status: 400,
      body: '{"error":{"code":"content_filter","message":"The response was filtered due to the prompt triggering Azure OpenAI\'s content management policy."}}',
    },
  ],
  ["content_filter", { status: 400, message: "data_inspection_failed: Input data may contain inappropriate content." }],
  ["retryable", { status: 500, message: "Internal server error" }],
  ["retryable", { status: 502, body: "<html><body>Bad gateway</body></html>" }],
  ["retryable", { status: 503, message: "The model is overloaded" }],
  ["retryable", { status: 529, message: "Overloaded" }],
  ["retryable", { status: 408 }],
  ["retryable", { code: "overloaded_error", message: "Overloaded" }],
  ["retryable", { code: "ECONNRESET" }],
  ["retryable", { code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND api.example.com" }],
  ["retryable", { code: "UND_ERR_SOCKET" }],
  ["retryable", { message: "Response stream ended without a finish reason." }],
  ["fatal", { status: 404, message: "model not found" }],
  ["fatal", { status: 400, message: "messages: roles must alternate" }],
  ["fatal", { status: 422, message: "Extra inputs are not permitted" }],
  ["fatal", { status: 200, body: "<!DOCTYPE html><html>" }],
  ["fatal", { code: "SELF_SIGNED_CERT_IN_CHAIN" }],
  [
    "overflow",
    {
      status: 400,
      body: '{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length."}',
    },
  ],
  ["overflow", { status: 400, body: '{"error":{"message":"The prompt is greater than the context length"}}' }],
  [
    "overflow",
    {
      status: 400,
      message:
        "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with 4096.",
    },
  ],
  ["overflow", { message: "Reached context length of 4096 tokens" }],
  [
    "overflow",
    { status: 400, message: "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)" },
  ],
  [
    "overflow",
    {
      status: 400,
      message: "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
    },
  ],
  [
    "overflow",
    { status: 400, message: "The input (40000 tokens) is longer than the model's context length (32768 tokens)." },
  ],
  ["overflow", { status: 422, message: "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000" }],
  ["overflow", { status: 422, message: "Input validation error: `inputs` must have less than 4096 tokens." }],
  ["overflow", { status: 400, body: '{"error":{"code":"1261","message":"Prompt exceeds max length"}}' }],
  ["rate_limit", { message: "ThrottlingException: Too many tokens, please wait before trying again." }],
  ["rate_limit", { message: "Too many tokens, please wait before trying again." }],
  [
    "rate_limit",
    {
      status: 400,
      headers: { "x-amzn-ErrorType": "ThrottlingException" },
      message: "Too many tokens for now.",
    },
  ],
  [
    "rate_limit",
    {
      code: "rate_limit_error",
      message:
        "This request would exceed the rate limit of 40,000 input tokens per minute. Reduce the prompt length or the maximum tokens requested.",
    },
  ],
  [
    "rate_limit",
    {
      message:
        "This request would exceed your rate limit of 40,000 input tokens per minute. Reduce the prompt length or the maximum tokens requested.",
    },
  ],
  ["fatal", { status: 400, message: "max_tokens (64000) exceeds the maximum allowed output tokens (8192)" }],
  ["overflow", { status: 400, message: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000" }],
  ...["context_length", "n_ctx", "context window"].map((name): [ErrorClass, Partial<ErrorData>] => [
    "fatal",
    {
      status: 400,
      message: `Invalid schema for function 'search': In context=('properties', '${name}'), array schema missing items.`,
    },
  ]),
  ["fatal", { status: 400, message: "Invalid schema for function 'set_n_ctx': schema must be an object." }],
  ["fatal", { status: 400, message: "tools.0.name: 'set_n_ctx' is used twice" }],
  ["fatal", { status: 400, message: "Unknown parameter: moderation" }],
  ["retryable", { status: 424, message: "ModelErrorException: The model could not process the request." }],
  ["overflow", { status: 424, message: "prompt is too long: 210000 tokens" }],
  ["retryable", { status: 498, message: "Flex tier capacity exceeded" }],
  ["retryable", { status: 200, body: '{"error":{"code":502,"message":"Provider returned error"}}' }],
  ["auth", { status: 200, body: '{"error":{"code":401,"message":"No cookie"}}' }],
  [
    "retryable",
    { message: "The socket connection was closed unexpectedly. For more information, see the fetch call." },
  ],
  ["retryable", { message: "HTTP/2: server sent GOAWAY and closed the stream" }],
  ["retryable", { message: "unexpected EOF" }],
  ["fatal", { message: "something nobody has seen before" }],
  ["fatal", {}],
])("%s: %j", (expected, data) => {
  expect(kind(data)).toBe(expected)
})

test("an API error of the AI SDK gives status, headers, body and the wait", () => {
  const error = new APICallError({
    message: "Rate limited",
    url: "https://api.example.com",
    requestBodyValues: { messages: ["private"] },
    statusCode: 429,
    responseHeaders: { "retry-after": "3", "set-cookie": "secret=1", "x-request-id": "r1" },
    responseBody: '{"error":{"message":"Rate limited"}}',
  })
  const result = classify(error, context)
  expect(result).toMatchObject({
    class: "rate_limit",
    status: 429,
    retryAfterMs: 3_000,
    headers: { "retry-after": "3", "x-request-id": "r1" },
  })
  expect(JSON.stringify(result)).not.toContain("secret")
  expect(JSON.stringify(result)).not.toContain("private")
})

test("a network code is found in the chain of causes", () => {
  const refused = new APICallError({
    message: "Cannot connect to API",
    url: "http://127.0.0.1:1",
    requestBodyValues: {},
    cause: Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" }),
    isRetryable: true,
  })
  expect(classify(refused, context)).toMatchObject({ class: "retryable", network: "refused", code: "ECONNREFUSED" })
  expect(
    classify(new Error("x", { cause: Object.assign(new Error("y"), { code: "ENOTFOUND" }) }), context),
  ).toMatchObject({ network: "unknown_host" })
  expect(classify(new NetError("probe_silent", "h:1 does not answer"), context)).toMatchObject({
    class: "retryable",
    network: "probe",
  })
  expect(classify(new NetError("redirect", "elsewhere"), context).class).toBe("fatal")
})

test("errors without a status: of the AI SDK, of streams, and thrown strings", () => {
  expect(classify(new EmptyResponseBodyError(), context).class).toBe("retryable")
  expect(classify(new InvalidPromptError({ prompt: {}, message: "bad" }), context).class).toBe("fatal")
  expect(classify(new LoadAPIKeyError({ message: "missing" }), context).class).toBe("auth")
  expect(classify({ type: "overloaded_error", message: "Overloaded" }, context).class).toBe("retryable")
  expect(classify({ message: "bad", code: 429 }, context)).toMatchObject({ class: "rate_limit", status: 429 })
  expect(classify({ error: { message: "too long", code: "context_length_exceeded" } }, context).class).toBe("overflow")
  expect(classify("Overloaded", context).class).toBe("retryable")
})

test("interruption is not a failure", () => {
  expect(classify(new Interrupted(), context).class).toBe("aborted")
  expect(classify(new DOMException("stop", "AbortError"), context).class).toBe("aborted")
})

test("the package's opinion counts only where no rule knows better", () => {
  expect(kind({ message: "odd", retryable: true })).toBe("retryable")
  expect(kind({ status: 401, retryable: true })).toBe("auth")
})

test("the message says who, what, and what to do", () => {
  const env = classifyData({ ...context, keySource: "env:SOME_KEY", status: 401, message: "invalid key" }).message
  expect(env).toContain("Provider (HTTP 401): invalid key.")
  expect(env).toContain("SOME_KEY")
  expect(classifyData({ ...context, keySource: "config", status: 401 }).message).toContain("provider.p.options.apiKey")
  expect(classifyData({ ...context, status: 404, message: "no such model" }).message).toContain("model's id")
  expect(classifyData({ ...context, status: 502, message: "<html>long page</html>" }).message).not.toContain("<html")
})

test("keys that a provider repeats do not come through", () => {
  for (const secret of ["sk-proj-abcdef123456", "AIzaSyA1234567890abcdef", "gsk_abcdefghijkl"]) {
    const result = classifyData({
      ...context,
      status: 401,
      message: `Incorrect API key provided: ${secret}.`,
      body: `{"key":"${secret}"}`,
    })
    expect(JSON.stringify(result)).not.toContain(secret)
  }
})

test("everything is bounded", () => {
  const huge = "x".repeat(5_000_000)
  const result = classifyData({ ...context, status: 500, message: huge, body: huge })
  expect(JSON.stringify(result).length).toBeLessThan(10_000)
})

test("every class becomes an error that the schema knows", () => {
  const classes: ErrorClass[] = ["retryable", "rate_limit", "overflow", "auth", "fatal", "content_filter", "aborted"]
  const names = classes.map(
    (one) =>
      MessageError.parse(
        toMessageError({
          class: one,
          providerID: "p",
          message: "m",
          status: 500,
          body: "b",
          headers: { a: "b" },
          code: "c",
        }),
      ).name,
  )
  expect(names).toEqual([
    "APIError",
    "APIError",
    "ContextOverflowError",
    "ProviderAuthError",
    "APIError",
    "ContentFilterError",
    "MessageAbortedError",
  ])
  expect(toMessageError(classifyData({ providerID: "p", status: 503, code: "X" }))).toMatchObject({
    data: { isRetryable: true, statusCode: 503, metadata: { code: "X" } },
  })
})

test("whatever is thrown, classify answers", () => {
  const cyclic: Record<string, unknown> = { message: 1 }
  cyclic["cause"] = cyclic
  cyclic["self"] = cyclic
  for (const odd of [undefined, null, 0, Symbol("x"), cyclic, () => {}, new Proxy({}, {})])
    expect(classify(odd, context).class).toBe("fatal")
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const result = classify(value, context)
      MessageError.parse(toMessageError(result))
    }),
  )
})

test("an address that cannot be reached is named, without what may hold a key", () => {
  const refused = classify(Object.assign(new Error("Unable to connect"), { code: "ConnectionRefused" }), {
    providerID: "local",
    baseURL: "http://127.0.0.1:9/v1?key=secret",
  })
  expect(refused.message).toContain("http://127.0.0.1:9")
  expect(refused.message).not.toContain("secret")
  const limited = classify(
    { statusCode: 429, message: "slow down" },
    { providerID: "local", baseURL: "http://127.0.0.1:9" },
  )
  expect(limited.message).not.toContain("127.0.0.1")
})

test("a wait that is too long to be waited for is said", () => {
  const limited = (retry: string) =>
    classifyData({ providerID: "p", status: 429, message: "slow down", headers: { "Retry-After": retry } }).message
  expect(limited("7380")).toEndWith(" It wants to be asked again in 2 h 3 min.")
  expect(limited("601")).toContain("asked again in 11 min.")
  expect(limited("999999999")).toContain("asked again in 7 d.")
  expect(limited("600")).not.toContain("again in")
  const refused = classifyData({ providerID: "p", status: 401, message: "no", headers: { "retry-after": "99999" } })
  expect(refused.message).not.toContain("again in")
})

test("what a check of forms expected is not told to the user", () => {
  const cause = new Error('[{"code":"invalid_union","path":["choices"]}]')
  for (const value of [{ weird: 1 }, null, "text"]) {
    const { message } = classify(new TypeValidationError({ value, cause }), { providerID: "p" })
    expect(message).toContain("it sent what is not understood")
    expect(message).not.toMatch(/invalid_union|Type validation/)
  }
})
