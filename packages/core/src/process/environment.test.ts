import { expect, test } from "bun:test"
import { childEnvironment } from "./environment.ts"

test("keys of model providers and our own secrets do not reach a child", () => {
  const env = childEnvironment(
    {
      PATH: "/bin",
      ANTHROPIC_API_KEY: "k",
      MY_PROXY_TOKEN: "k",
      CAIRN_SERVER_PASSWORD: "k",
      OPENCODE_SERVER_PASSWORD: "k",
      CAIRN_CONFIG_CONTENT: "{}",
      OPENCODE_CONFIG_CONTENT: "{}",
      OPENCODE_API_KEY: "k",
      CAIRN_TOKEN: "k",
      OTEL_EXPORTER_OTLP_ENDPOINT: "k",
      OTEL_EXPORTER_OTLP_HEADERS: "k",
    },
    ["ANTHROPIC_API_KEY", "MY_PROXY_TOKEN"],
  )
  expect(Object.values(env)).not.toContain("k")
  expect(Object.keys(env)).not.toContain("OPENCODE_CONFIG_CONTENT")
  expect(env["PATH"]).toBe("/bin")
})

test("what other programs work with stays, although a provider names it too", () => {
  const shared = {
    GITHUB_TOKEN: "g",
    AWS_SECRET_ACCESS_KEY: "s",
    AWS_REGION: "eu",
    GOOGLE_APPLICATION_CREDENTIALS: "f",
    NPM_TOKEN: "n",
  }
  expect(childEnvironment(shared, [...Object.keys(shared).slice(0, 4), "NO_SUCH_KEY"])).toMatchObject(shared)
})

test("our own names that are no secrets stay", () => {
  expect(childEnvironment({ CAIRN_TEST_OPENCODE: "/x", CAIRN_PLAIN: "1" })).toMatchObject({
    CAIRN_TEST_OPENCODE: "/x",
    CAIRN_PLAIN: "1",
  })
})

test("nothing asks, pages or opens an editor, whatever the user has set", () => {
  expect(childEnvironment({ PAGER: "less", GIT_EDITOR: "vim", TERM: "xterm", GONE: undefined })).toEqual({
    CAIRN: "1",
    TERM: "dumb",
    PAGER: "cat",
    MANPAGER: "cat",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_TERMINAL_PROMPT: "0",
  })
})
