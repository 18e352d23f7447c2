import { describe, expect, test } from "bun:test"
import { commandPrefix } from "./arity.ts"
import { arityRows } from "./arity-rows.ts"

describe("every row", () => {
  const fillers = ["one", "two", "three"]
  test.each(arityRows.map((row) => [row.prefix, row.more, row.reason] as const))(
    "%s and %d more: %s",
    (prefix, more) => {
      const given = prefix.split(" ")
      const wanted = [...given, ...fillers.slice(0, more)]
      expect(commandPrefix([...wanted, "last", "-x"])).toEqual(wanted)
      // What stands behind an option is not named by it.
      if (more > 0) expect(commandPrefix([...given, "--option", "one"])).toBeUndefined()
      expect(commandPrefix([`/usr/bin/${given[0]}`, ...wanted.slice(1), "last"])).toEqual([
        `/usr/bin/${given[0]}`,
        ...wanted.slice(1),
      ])
    },
  )

  test("there are enough, each once", () => {
    expect(arityRows.length).toBeGreaterThanOrEqual(450)
    expect(new Set(arityRows.map((row) => row.prefix)).size).toBe(arityRows.length)
  })
})

test.each([
  ["git status -s", "git status"],
  ["git unheard-of x", "git unheard-of"],
  ["npm run build -- --watch", "npm run build"],
  ["docker compose up -d", "docker compose up"],
  ["kubectl get pods -n x", "kubectl get pods"],
  ["aws s3 ls s3://x", "aws s3 ls"],
  ["gcloud compute instances list", "gcloud compute instances list"],
  ["python -m pytest -q", "python -m pytest"],
  ["python x.py a", "python x.py"],
  ["make all", "make all"],
  ["make", "make"],
  ["ls -la src", "ls"],
  ["cat a b", "cat"],
  ["git --no-pager log", undefined],
  ["kubectl -n x get pods", undefined],
  ["npm", "npm"],
])("%s: %p", (line, prefix) => {
  expect(commandPrefix(line.split(" "))?.join(" ")).toBe(prefix)
})
