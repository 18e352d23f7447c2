import type { Engine } from "@cairn/schema/engine"
import type { SearchHit, SearchPage } from "@cairn/schema/search"
import { ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Command, Input } from "../argv/define.ts"
import { allFlag, cursorFlag, formatFlag, limitFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { searchProgress } from "../render/search-progress.ts"
import { lookOf, styleOf } from "../terminal/look.ts"

/** What the engine gives at once. */
const largestPage = 100
const usualLimit = 10

export const sessionSearchCommand: Command = {
  name: "session search",
  summary: "Find what was said, thought or done in the sessions of this directory",
  doc: [
    "Looks in prompts, answers, reasoning, and the calls of tools with what they gave, also in what was pruned or" +
      " compacted since. Every word has to stand in one of them; best first, where newer counts for more.",
    "A word of three letters and more also finds words that begin with it (conf finds config), and parts of names" +
      " (Header finds parseHTTPHeader). Words in double quotes are found as they stand, in this order; word* finds what" +
      " begins with word, however short. Case and accents do not matter, and no other character means anything.",
    "As json: `hits`, each with the ids of session, message and part, and an excerpt with the places of the words in" +
      " it, and `cursor` when there is more.",
  ].join("\n"),
  examples: [
    `cairn session search "token refresh"`,
    `cairn session search --all '"connection reset" retry*'`,
    `cairn session search parseConfig --format json | jq -r '.hits[0] | .sessionID, .messageID'`,
  ],
  flags: [allFlag, limitFlag, cursorFlag, formatFlag],
  args: { usage: "<word…>", doc: "What to look for", min: 1, max: Infinity },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const all = input.get(allFlag) ?? false
    const found = await search(engine, io, input, all)
    if (!found.ok) return setupError(io, found.error)
    const { hits, cursor } = found.value
    if (input.get(formatFlag) === "json") {
      io.stdout.write(`${JSON.stringify(found.value, undefined, 2)}\n`)
      return 0
    }
    if (hits.length === 0) {
      io.stderr.write(
        all ? "Nothing found in this project.\n" : "Nothing found in this directory (--all: in the project).\n",
      )
      return 0
    }
    const { searchHits } = await import("../render/search-hits.ts")
    const style = styleOf(lookOf(io.stdout, io.env).color)
    io.stdout.write(searchHits(hits, { style, now: io.clock.now(), directories: all }))
    if (cursor !== undefined) io.stderr.write(`There is more (--limit ${hits.length * 2}).\n`)
    return 0
  })
}

/** As many hits as were asked for, page by page. */
async function search(engine: Engine, io: Io, input: Input, all: boolean): Promise<Result<SearchPage, SetupError>> {
  const wanted = input.get(limitFlag) ?? usualLimit
  const hits: SearchHit[] = []
  let cursor = input.get(cursorFlag)
  const progress = searchProgress(io)
  for (;;) {
    const limit = Math.min(largestPage, wanted - hits.length)
    const request = { query: input.words.join(" "), scope: all ? "project" : "directory", limit } as const
    const page = await engine.search({ ...request, ...(cursor !== undefined && { cursor }) }, progress.tell)
    progress.clear()
    if (!page.ok) return page
    hits.push(...page.value.hits)
    cursor = page.value.cursor
    if (cursor === undefined) return ok({ hits })
    if (hits.length >= wanted) return ok({ hits, cursor })
  }
}
