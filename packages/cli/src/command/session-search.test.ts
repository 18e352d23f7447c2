import { describe, expect, test } from "bun:test"
import type { SearchHit, SearchRequest } from "@cairn/schema/search"
import { err, ok } from "@cairn/kernel/result"
import { fakeEngine } from "../../test/fake-engine.ts"
import { captured, fakeIo } from "../../test/fake-io.ts"
import { messageID, sessionID } from "../../test/values.ts"
import { runCli } from "../cli.ts"

const hit = (n: number): SearchHit => ({
  ...{ sessionID, title: "Fix the parser", directory: "/repo", messageID, partID: `prt_${n}` },
  ...{ role: "assistant", type: "text", time: Date.UTC(2026, 0, 1) },
  excerpt: { text: `the parser ${n}`, matches: [[4, 10]] },
})

/** An engine that has `count` hits, and the requests that it got. */
function engineWith(count: number) {
  const requests: SearchRequest[] = []
  const engine = fakeEngine(undefined, {
    search: async (request) => {
      requests.push(request)
      const from = Number(request.cursor ?? 0)
      const to = Math.min(count, from + (request.limit ?? 20))
      const hits = Array.from({ length: to - from }, (_, n) => hit(from + n))
      return ok({ hits, ...(to < count && { cursor: String(to) }) })
    },
  })
  return { engine, requests }
}

async function search(engine: ReturnType<typeof fakeEngine>, ...argv: string[]) {
  const io = fakeIo({ engine, stdout: captured(), stderr: captured() })
  const code = await runCli(io, ["session", "search", ...argv])
  return { code, out: io.stdout.text, err: io.stderr.text }
}

describe("session search", () => {
  test("says each hit, where it is, and that there is more", async () => {
    const { engine, requests } = engineWith(12)
    const { code, out, err: said } = await search(engine, "the", "parser", "-n", "2")
    expect(code).toBe(0)
    expect(out).toBe(
      ["0", "1"]
        .map(
          (n) =>
            `Fix the parser, just now, answer\n  the parser ${n}\n  cairn session show ${sessionID} --message ${messageID}\n`,
        )
        .join("\n"),
    )
    expect(said).toBe("There is more (--limit 4).\n")
    expect(requests).toEqual([{ query: "the parser", scope: "directory", limit: 2 }])
  })

  test("asks for ten, and in pages for as many as are wanted", async () => {
    const { engine, requests } = engineWith(1_000)
    expect((await search(engine, "x")).out.match(/--message/g)).toHaveLength(10)
    requests.length = 0
    expect((await search(engine, "x", "--all", "--limit", "250")).out.match(/--message/g)).toHaveLength(250)
    expect(requests.map(({ scope, limit, cursor }) => [scope, limit, cursor])).toEqual([
      ["project", 100, undefined],
      ["project", 100, "100"],
      ["project", 50, "200"],
    ])
  })

  test("is hits and a cursor as json, with which the next page is asked for", async () => {
    const { engine } = engineWith(3)
    const first = await search(engine, "x", "-n", "2", "--format", "json")
    expect(JSON.parse(first.out)).toEqual({ hits: [hit(0), hit(1)], cursor: "2" })
    const last = await search(engine, "x", "-n", "2", "--cursor", "2", "--format", "json")
    expect(JSON.parse(last.out)).toEqual({ hits: [hit(2)] })
    expect([first.err, last.err]).toEqual(["", ""])
  })

  test("that finds nothing says so, and where else to look", async () => {
    const { engine } = engineWith(0)
    expect(await search(engine, "x")).toEqual({
      code: 0,
      out: "",
      err: "Nothing found in this directory (--all: in the project).\n",
    })
    expect((await search(engine, "x", "--all")).err).toBe("Nothing found in this project.\n")
    expect(await search(engine, "x", "--format", "json")).toEqual({ code: 0, out: '{\n  "hits": []\n}\n', err: "" })
  })

  test("that cannot be is exit 2, and so is one without words", async () => {
    const engine = fakeEngine(undefined, {
      search: async () => err({ kind: "usage", message: "There is nothing to search for." }),
    })
    expect(await search(engine, "::")).toEqual({ code: 2, out: "", err: "cairn: There is nothing to search for.\n" })
    expect((await search(engine)).code).toBe(2)
    expect((await search(engine, "x", "-n", "0")).code).toBe(2)
  })

  test("tells on stderr that the index is built", async () => {
    const engine = fakeEngine(undefined, {
      search: async (_, progress) => {
        progress?.(0.5)
        return ok({ hits: [hit(1)] })
      },
    })
    expect((await search(engine, "x")).err).toBe("building the search index…\n")
  })
})

describe("debug rebuild-search", () => {
  const run = async (engine: ReturnType<typeof fakeEngine>) => {
    const io = fakeIo({ engine, stdout: captured(), stderr: captured() })
    const code = await runCli(io, ["debug", "rebuild-search"])
    return { code, out: io.stdout.text, err: io.stderr.text }
  }

  test("says when it is done, and what to do when it cannot be", async () => {
    expect(await run(fakeEngine())).toEqual({ code: 0, out: "the search index was built again\n", err: "" })
    const broken = fakeEngine(undefined, {
      rebuildSearch: async () => err({ kind: "data_directory", message: "End every Cairn." }),
    })
    expect(await run(broken)).toEqual({ code: 2, out: "", err: "cairn: End every Cairn.\n" })
  })
})
