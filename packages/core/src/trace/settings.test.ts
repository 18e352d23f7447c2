import { describe, expect, test } from "bun:test"
import { otlpSettings } from "./settings.ts"
import { type Env, wantsTraces } from "./wanted.ts"

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
const own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

describe("traces are wanted", () => {
  test.each<[boolean, Env]>([
    [false, {}],
    [false, { [endpoint]: "" }],
    [false, { [endpoint]: "  " }],
    [true, { [endpoint]: "http://localhost:4318" }],
    [true, { [own]: "http://localhost:4318/x" }],
    [false, { [endpoint]: "http://localhost:4318", OTEL_SDK_DISABLED: "true" }],
    [false, { [endpoint]: "http://localhost:4318", OTEL_SDK_DISABLED: "TRUE" }],
    [true, { [endpoint]: "http://localhost:4318", OTEL_SDK_DISABLED: "1" }],
    [false, { [endpoint]: "http://localhost:4318", OTEL_TRACES_EXPORTER: "none" }],
    [false, { [endpoint]: "http://localhost:4318", OTEL_TRACES_EXPORTER: "console" }],
    [true, { [endpoint]: "http://localhost:4318", OTEL_TRACES_EXPORTER: "console, otlp" }],
  ])("%p: %p", (wanted, env) => expect(wantsTraces(env)).toBe(wanted))
})

describe("the address", () => {
  test.each<[string, Env]>([
    ["http://localhost:4318/v1/traces", { [endpoint]: "http://localhost:4318" }],
    ["http://localhost:4318/v1/traces", { [endpoint]: "http://localhost:4318/" }],
    ["https://box.example/otlp/v1/traces?a=b", { [endpoint]: "https://box.example/otlp/?a=b#c" }],
    ["https://box.example/own", { [endpoint]: "https://box.example/otlp", [own]: "https://box.example/own" }],
    ["https://box.example/", { [own]: "https://box.example" }],
    ["http://box.example/v1/traces", { [endpoint]: "http://user:pass@box.example" }],
  ])("%s", (url, env) => {
    const settings = otlpSettings(env, "1.2.3")
    expect(settings.ok && settings.value.url.href).toBe(url)
  })

  test.each<[string, Env]>([
    [`${endpoint} is not an http or https address`, { [endpoint]: "localhost:4318" }],
    [`${endpoint} is not an http or https address`, { [endpoint]: "collector" }],
    [`${own} is not an http or https address`, { [own]: "file:///etc", [endpoint]: "http://localhost" }],
    [
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc; traces are sent as http/json only",
      { [endpoint]: "http://localhost:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    ],
  ])("none: %s", (error, env) => expect(otlpSettings(env, "1")).toEqual({ ok: false, error }))

  test("of a trace protocol that is http wins over a general one that is grpc", () => {
    const protocols = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" }
    expect(otlpSettings({ [endpoint]: "http://localhost", ...protocols }, "1").ok).toBe(true)
  })
})

const settingsOf = (env: Env) => {
  const settings = otlpSettings({ [endpoint]: "http://localhost:4318", ...env }, "1.2.3")
  if (!settings.ok) throw new Error(settings.error)
  return settings.value
}

describe("headers", () => {
  test("are pairs, percent-encoded; those for traces win", () => {
    const { headers, problems } = settingsOf({
      OTEL_EXPORTER_OTLP_HEADERS: " Authorization = Bearer%20abc=, x-team=core,",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "X-Team=traces",
    })
    expect(headers).toEqual({ authorization: "Bearer abc=", "x-team": "traces" })
    expect(problems).toEqual([])
  })

  test("that cannot be sent are left out, and no value of them is said", () => {
    const { headers, problems } = settingsOf({
      OTEL_EXPORTER_OTLP_HEADERS:
        "good=1,secret-without-sign,bad name=secret,x=secret%0d%0ainjected: 1,content-type=secret,host=secret,=secret",
    })
    expect(headers).toEqual({ good: "1" })
    expect(problems).toHaveLength(6)
    expect(problems.join()).not.toContain("secret")
  })

  test("hold the user of the address, unless one is given", () => {
    const basic = `Basic ${btoa("me:p@ss")}`
    const address = { [endpoint]: "http://me:p%40ss@localhost:4318" }
    expect(settingsOf(address).headers).toEqual({ authorization: basic })
    expect(settingsOf({ ...address, OTEL_EXPORTER_OTLP_HEADERS: "Authorization=mine" }).headers).toEqual({
      authorization: "mine",
    })
  })

  test("keep a percent sign that encodes nothing", () => {
    const address = { [endpoint]: "http://100%:50%@localhost" }
    expect(settingsOf(address).headers).toEqual({ authorization: `Basic ${btoa("100%:50%")}` })
    expect(settingsOf({ OTEL_EXPORTER_OTLP_HEADERS: "x=5%" }).headers).toEqual({ x: "5%" })
  })

  test("are bounded in number", () => {
    const many = Array.from({ length: 100 }, (_, index) => `h${index}=1`).join(",")
    const { headers, problems } = settingsOf({ OTEL_EXPORTER_OTLP_HEADERS: many })
    expect([Object.keys(headers).length, problems.length]).toEqual([64, 36])
  })
})

test("the resource is this program, unless the user says otherwise", () => {
  expect(settingsOf({}).resource).toEqual({ "service.name": "cairn", "service.version": "1.2.3" })
  const attributes = "service.name=other,deployment.environment.name=ci,team=a%2Cb"
  expect(settingsOf({ OTEL_RESOURCE_ATTRIBUTES: attributes }).resource).toEqual({
    "service.name": "other",
    "service.version": "1.2.3",
    "deployment.environment.name": "ci",
    team: "a,b",
  })
  const named = settingsOf({ OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SERVICE_NAME: "mine" })
  expect(named.resource["service.name"]).toBe("mine")
})
