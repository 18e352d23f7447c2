import { expect, test } from "bun:test"
import { redactConfig } from "./redact.ts"

test("keys, headers and environments are hidden, everything else is shown", () => {
  const config = {
    model: "acme/large",
    provider: {
      acme: {
        env: ["ACME_KEY"],
        options: { apiKey: "sk-1", baseURL: "http://x", headers: { "x-org": "o" }, timeout: 5 },
      },
    },
    mcp: { files: { type: "local", environment: { TOKEN: "t" }, oauth: { clientSecret: "c", scope: "s" } } },
    server: { password: "p" },
  }
  expect(redactConfig(config)).toEqual({
    model: "acme/large",
    provider: {
      acme: {
        env: ["ACME_KEY"],
        options: { apiKey: "[redacted]", baseURL: "http://x", headers: { "x-org": "[redacted]" }, timeout: 5 },
      },
    },
    mcp: {
      files: { type: "local", environment: { TOKEN: "[redacted]" }, oauth: { clientSecret: "[redacted]", scope: "s" } },
    },
    server: { password: "[redacted]" },
  })
  expect(JSON.stringify(redactConfig(config))).not.toContain("sk-1")
})

test("an address keeps its host and loses its credentials", () => {
  const shown = redactConfig({
    baseURL: "https://user:PASS@host:1/v1?api-key=KEY",
    plain: "http://host/v1",
    text: "not a url",
  })
  expect(shown).toEqual({
    baseURL: "https://[redacted]@host:1/v1?[redacted]",
    plain: "http://host/v1",
    text: "not a url",
  })
})
