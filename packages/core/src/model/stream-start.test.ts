import { describe, expect, test } from "bun:test"
import { createStreamStart, type Start } from "./stream-start.ts"

/** Fed with pieces until it has decided, or the body has ended. */
function judge(...pieces: string[]): { start: Start; pieces: number } {
  const see = createStreamStart("host:1")
  for (const [index, piece] of pieces.entries()) {
    const start = see(Buffer.from(piece))
    if (start.kind !== "unclear") return { start, pieces: index + 1 }
  }
  return { start: see(undefined), pieces: pieces.length }
}
const failureOf = (...pieces: string[]) => {
  const { start } = judge(...pieces)
  return start.kind === "failure" ? [start.failure.code, start.failure.message] : start.kind
}

describe("events", () => {
  test.each([
    ["data: {}\n\n"],
    ["event: message_start\ndata: {}\n\n"],
    [": keep-alive\n\n"],
    ["id: 1\ndata: x\n\n"],
    ["retry: 3\n\n"],
    ["\uFEFFdata: {}\n\n"],
    ["\r\n\n  \ndata: {}\n\n"],
    ["data:{}\n\n"],
  ])("are known by their first line: %j", (text) => {
    const { start } = judge(text)
    expect(start.kind).toBe("events")
    expect(start.kind === "events" && Buffer.from(start.bytes).toString()).toBe(text)
  })

  test("in whatever pieces they come, and nothing of them is lost", () => {
    const pieces = [..."\nevent: ping\ndata: {}\n\n"]
    const { start, pieces: needed } = judge(...pieces)
    expect(needed).toBe("\nevent:".length)
    expect(start.kind === "events" && Buffer.from(start.bytes).toString()).toBe("\nevent:")
  })
})

describe("what is no events", () => {
  test.each<[string, string, string]>([
    ["", "empty_answer", "host:1 sent an empty answer"],
    [" \n\r\n", "empty_answer", "host:1 sent an empty answer"],
    ["<!DOCTYPE html><title>Sign in</title>", "web_page", "host:1 answered with a web page"],
    ["\n<html><body>x", "web_page", "host:1 answered with a web page"],
    ["<?xml version='1.0'?><Error/>", "web_page", "host:1 answered with a web page"],
    ["hello", "no_events", 'host:1 answered with what is no stream of events: "hello"'],
    ["dat", "no_events", 'host:1 answered with what is no stream of events: "dat"'],
    ['{"ok":true}', "no_events", 'host:1 answered with what is no stream of events: "{\\"ok\\":true}"'],
    ['{"error":{"message":"no such model","code":404}}', "error_answer", "no such model"],
    ['{"error":"overloaded"}', "error_answer", "overloaded"],
    ['{"error":[{"msg":"bad field"}]}', "error_answer", "bad field"],
    ['{"errors":[{"message":"one"},{"message":"two"}]}', "error_answer", "one"],
    ['{"type":"error","message":"holiday"}', "error_answer", "holiday"],
    ['{"error":true,"message":"why"}', "error_answer", "why"],
    ['{"error":{}}', "error_answer", "the server reports an error"],
    [
      '{"error":null,"ok":1}',
      "no_events",
      'host:1 answered with what is no stream of events: "{\\"error\\":null,\\"ok\\":1}"',
    ],
  ])("%j is %s", (text, code, message) => {
    expect(failureOf(text)).toEqual([code, message])
    if (text !== "") expect(failureOf(...text)).toEqual([code, message])
  })

  test("an error keeps what was said, for the classifier", () => {
    const text = '{"error":{"message":"slow down","code":429}}'
    const { start } = judge(text)
    expect(start.kind === "failure" && start.failure.responseBody).toBe(text)
  })

  test("an endless answer is given up soon, and little of it is shown", () => {
    const see = createStreamStart("host:1")
    let chunks = 0
    let start: Start = { kind: "unclear" }
    while (start.kind === "unclear") {
      start = see(Buffer.from("x".repeat(1_000)))
      chunks++
    }
    expect(chunks).toBe(17)
    expect(start.kind === "failure" && start.failure.message.length).toBeLessThan(400)
    expect(failureOf("\u0000\u0001\u001b[2J")).toEqual([
      "no_events",
      'host:1 answered with what is no stream of events: "\\u0000\\u0001\\u001b[2J"',
    ])
  })
})

test("the content type is named, and an error in a list is read", () => {
  const read = (type: string | null, text: string) => {
    const start = createStreamStart("host:1", type)
    start(Buffer.from(text))
    const end = start(undefined)
    return end.kind === "failure" ? end.failure : undefined
  }
  expect(read("text/plain", "OK")?.message).toBe('host:1 answered with what is no stream of events (text/plain): "OK"')
  const listed = read(null, '[{"error":{"code":403,"message":"No entry","status":"PERMISSION_DENIED"}}]')
  expect(listed).toMatchObject({ code: "error_answer", message: "No entry" })
})
