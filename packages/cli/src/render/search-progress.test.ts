import { expect, test } from "bun:test"
import { captured } from "../../test/fake-io.ts"
import { searchProgress } from "./search-progress.ts"

test("on a terminal one line in place, which goes away; elsewhere one line", () => {
  const terminal = captured({ terminal: true })
  const live = searchProgress({ stderr: terminal, env: {} })
  live.tell(0.1)
  live.tell(0.559)
  live.clear()
  expect(terminal.text).toBe("\r\x1b[Kbuilding the search index: 10 %\r\x1b[Kbuilding the search index: 55 %\r\x1b[K")
  const pipe = captured()
  const plain = searchProgress({ stderr: pipe, env: {} })
  plain.tell(0.1)
  plain.tell(0.5)
  plain.clear()
  expect(pipe.text).toBe("building the search index…\n")
})

test("nothing where nothing was told", () => {
  const stderr = captured({ terminal: true })
  searchProgress({ stderr, env: {} }).clear()
  expect(stderr.text).toBe("")
})
