import type { IncomingMessage, ServerResponse } from "node:http"
import type { TaskGroup } from "@cairn/kernel/task"
import type { CapturedRequest } from "./request.ts"
import type { Protocol } from "./wire/wire.ts"

const largestBody = 256 * 1024 * 1024

/** What is known of a request's connection while it is answered. */
export interface Connection extends Pick<CapturedRequest, "aborted" | "ended"> {
  /** Destroys the socket, as the server's own doing. */
  cut(): void
}

/** Cancels the scope when the connection goes, and tells how the answer ended. */
export function follow(outgoing: ServerResponse, scope: TaskGroup, stopped: AbortSignal): Connection {
  const aborted = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<"sent" | "aborted" | "closed">()
  let cut = false
  outgoing.on("error", () => scope.cancel())
  outgoing.on("close", () => {
    const how = outgoing.writableFinished ? "sent" : cut || stopped.aborted ? "closed" : "aborted"
    if (how === "aborted") aborted.resolve()
    ended.resolve(how)
    scope.cancel()
  })
  return {
    aborted: aborted.promise,
    ended: ended.promise,
    cut() {
      cut = true
      outgoing.socket?.destroy()
    },
  }
}

/** Records a request, keys redacted. */
export function capture(
  incoming: IncomingMessage,
  path: string,
  text: string,
  protocol: Protocol,
  index: number,
  { aborted, ended }: Connection,
): CapturedRequest {
  const { header, scheme } = protocol.key
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  )
  const given = headers[header]
  const hidden = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"].filter((name) => name in headers)
  return {
    index,
    protocol: protocol.name,
    method: incoming.method ?? "",
    path,
    headers: { ...headers, ...Object.fromEntries(hidden.map((name) => [name, "[redacted]"])) },
    authorized: given !== undefined && given.length > scheme.length,
    usesKey: (key) => given === scheme + key,
    body: parse(text),
    text,
    aborted,
    ended,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The whole body as text; rejects when it is unreasonably large or the client leaves. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestBody) throw new Error(`the request body is larger than ${largestBody} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
