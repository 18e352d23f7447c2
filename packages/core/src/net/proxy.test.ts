import { expect, test } from "bun:test"
import { proxyFor } from "./proxy.ts"

const proxy = "http://proxy.corp:3128"
const find = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)

test("the scheme chooses the variable, ALL_PROXY serves both, lower case wins", () => {
  expect(find("https://a.com", { HTTPS_PROXY: proxy })).toBe(proxy)
  expect(find("http://a.com", { HTTPS_PROXY: proxy })).toBeUndefined()
  expect(find("http://a.com", { http_proxy: "http://low:1", HTTP_PROXY: proxy })).toBe("http://low:1")
  expect(find("https://a.com", { ALL_PROXY: proxy })).toBe(proxy)
  expect(find("https://a.com", {})).toBeUndefined()
  expect(find("https://a.com", { HTTPS_PROXY: "  " })).toBeUndefined()
})

test("a proxy without a scheme is http, nonsense is no proxy", () => {
  expect(find("https://a.com", { HTTPS_PROXY: "proxy.corp:3128" })).toBe(proxy)
  expect(find("https://a.com", { HTTPS_PROXY: "http://[" })).toBeUndefined()
})

test("loopback is always direct", () => {
  expect(find("http://127.0.0.1:11434", { HTTP_PROXY: proxy })).toBeUndefined()
  expect(find("http://localhost:1", { ALL_PROXY: proxy })).toBeUndefined()
  expect(find("http://[::1]:1", { ALL_PROXY: proxy })).toBeUndefined()
})

test.each([
  ["*", "https://a.com", true],
  ["a.com", "https://a.com", true],
  ["a.com", "https://x.a.com", true],
  ["a.com", "https://evil-a.com", false],
  [".a.com", "https://x.a.com", true],
  ["*.a.com", "https://x.a.com", true],
  ["b.com, a.com", "https://a.com", true],
  ["a.com:443", "https://a.com", true],
  ["a.com:8443", "https://a.com", false],
  ["A.COM", "https://a.com", true],
  ["10.0.0.5", "https://10.0.0.5", true],
  ["fd00::1", "https://[fd00::1]", true],
  ["[fd00::1]:443", "https://[fd00::1]", true],
  ["[fd00::1]:80", "https://[fd00::1]", false],
  ["", "https://a.com", false],
])("NO_PROXY %p for %p: direct %p", (list, url, direct) => {
  expect(find(url, { HTTPS_PROXY: proxy, NO_PROXY: list }) === undefined).toBe(direct)
})
