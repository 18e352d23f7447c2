import { describe, expect, test } from "bun:test"
import type { WireProtocol } from "@cairn/testkit/request"
import { toolResults, userTexts, systemText } from "@cairn/testkit/request"
import { finish, reasoning, text, toolCall, usage } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const protocols: WireProtocol[] = ["chat", "anthropic", "responses", "google"]
for (const protocol of protocols) {
  describe(`the main job over ${protocol}`, () => {
    test("reads, edits and runs in several steps, with parallel calls and reasoning", async () => {
      await using made = await bench(
        [
          [
            reasoning("I should look first.", { signature: "sig-1" }),
            text("Let me look."),
            toolCall("read", { filePath: "src/sum.ts" }),
            toolCall("grep", { pattern: "sum" }),
            usage({ input: 100, output: 20 }),
          ],
          [toolCall("edit", { filePath: "src/sum.ts", oldString: "a - b", newString: "a + b" })],
          [toolCall("bash", { command: "cat src/sum.ts; exit 3" })],
          [text("Fixed: sum adds now."), finish("stop")],
        ],
        { protocol, files: { "src/sum.ts": "export const sum = (a: number, b: number) => a - b\n" } },
      )
      const outcome = await made.prompt("Fix sum")
      expect(outcome).toMatchObject({ reason: "done", text: "Fixed: sum adds now.", denied: 0 })
      expect(await made.workspace.read("src/sum.ts")).toContain("a + b")
      expect(problemsOf(made, outcome.sessionID)).toEqual([])

      const { requests } = made.server
      expect(requests).toHaveLength(4)
      expectPrefixes(requests.map((request) => request.body))
      expect(systemText(requests[0]!).length).toBeGreaterThan(100)
      expect(userTexts(requests[0]!).at(-1)).toContain("Fix sum")
      const results = requests.flatMap((request, index) => (index === 0 ? [] : toolResults(request).slice(-2)))
      expect(JSON.stringify(results)).toContain("a - b")
      expect(toolResults(requests[3]!).at(-1)?.output).toContain("exit code 3")
      if (protocol === "anthropic") expect(JSON.stringify(requests[1]!.body)).toContain("sig-1")
    })
  })
}
