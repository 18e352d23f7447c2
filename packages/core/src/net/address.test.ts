import { expect, test } from "bun:test"
import { reachOf } from "./address.ts"

test.each([
  ["localhost", "loopback"],
  ["api.localhost", "loopback"],
  ["LOCALHOST.", "loopback"],
  ["127.0.0.1", "loopback"],
  ["127.9.8.7", "loopback"],
  ["[::1]", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["10.1.2.3", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.1", "public"],
  ["192.168.1.1", "private"],
  ["169.254.169.254", "private"],
  ["100.64.0.1", "private"],
  ["100.128.0.1", "public"],
  ["fd00::1", "private"],
  ["fe80::1", "private"],
  ["::ffff:10.0.0.1", "private"],
  ["2606:4700::1", "public"],
  ["8.8.8.8", "public"],
  ["nas", "private"],
  ["box.local", "private"],
  ["host.docker.internal", "private"],
  ["api.anthropic.com", "public"],
  ["localhost.evil.com", "public"],
  ["127.0.0.1.evil.com", "public"],
] as const)("%s is %s", (host, reach) => {
  expect(reachOf(host)).toBe(reach)
})
