import { describe, expect, test } from "bun:test"
import { parseBindings } from "../input/key.ts"
import { originalNames } from "../input/original-names.ts"
import type { Command, Facts } from "./define.ts"
import { keysDocument } from "./keys-document.ts"
import { commandProblems, createRegistry } from "./registry.ts"

const command = (change: Partial<Command<void>>): Command<void> => ({
  id: "session.list",
  title: "Sessions",
  doc: "Opens the list of sessions.",
  group: "Session",
  run: () => undefined,
  ...change,
})
const list = command({ keys: "<leader>l", slash: ["sessions"], original: "session_list" })
const undo = command({
  id: "message.undo",
  title: "Undo",
  keys: "<leader>u",
  slash: ["undo"],
  original: "messages_undo",
  when: ({ canUndo }) => canUndo,
})
const down = command({ id: "transcript.down", keys: "j", layer: "transcript", hidden: true })
const facts: Facts = {
  page: "session",
  busy: false,
  promptEmpty: true,
  canUndo: false,
  canRedo: false,
  asks: 0,
  queued: 0,
  isChild: false,
}

test("the original has 154 names", () => {
  expect(originalNames.size).toBe(154)
})

test("commands are found by id and slash, and offered when they may run and mean something everywhere", () => {
  const registry = createRegistry([list, undo, down])
  expect(registry.find("message.undo")).toBe(undo)
  expect(registry.slash("sessions")).toBe(list)
  expect(registry.slash("toString")).toBeUndefined()
  expect(registry.available(facts)).toEqual([list])
  expect(registry.available({ ...facts, canUndo: true })).toEqual([list, undo])
  expect(registry.warnings).toEqual([])
})

describe("keys", () => {
  test("are the defaults", () => {
    const registry = createRegistry([list, undo, down])
    expect(registry.bindings).toEqual([
      { command: "session.list", layer: "global", sequences: [["<leader>", "l"]] },
      { command: "message.undo", layer: "global", sequences: [["<leader>", "u"]] },
      { command: "transcript.down", layer: "transcript", sequences: [["j"]] },
    ])
    expect(registry.keyOf("session.list")).toBe("ctrl+x l")
    expect(registry.keyOf("nothing")).toBeUndefined()
  })

  test("are the user's, by our names and the original's; ours wins", () => {
    const keybinds = { leader: "ctrl+a", session_list: "f5,<leader>s", messages_undo: "f6", "message.undo": "none" }
    const registry = createRegistry([list, undo], keybinds)
    expect(registry.bindings).toEqual([
      { command: "session.list", layer: "global", sequences: [["f5"], ["<leader>", "s"]] },
    ])
    expect([registry.leader, registry.keyOf("session.list"), registry.keyOf("message.undo")]).toEqual([
      "ctrl+a",
      "f5",
      undefined,
    ])
    expect(registry.warnings).toEqual([])
  })

  test("that are wrong are said, and the defaults stay", () => {
    const keybinds = { leader: "<leader>", session_list: "ctrl+nonsense", sesion_new: "f1", docs_open: "f2" }
    const registry = createRegistry([list], keybinds)
    expect(registry.keyOf("session.list")).toBe("ctrl+x l")
    expect(registry.warnings).toEqual([
      "keybinds.sesion_new: there is no such command",
      "keybinds.leader: it cannot be itself; it stays ctrl+x",
      'keybinds.session_list: "nonsense" is no key; the default stays',
    ])
  })

  test("of the original are all understood", async () => {
    const page = "<leader>q,ctrl+c,shift+return,ctrl+alt+[,ctrl+-,super+shift+z,E,?,]"
    for (const keys of page.split(",")) expect(parseBindings(keys).ok).toBe(true)
  })
})

describe("commands that a test refuses", () => {
  test.each([
    [[list, list], "session.list: the id session.list is session.list's"],
    [[command({ title: "" })], "session.list: its title is missing or ends with a full stop"],
    [[command({ doc: "no sentence" })], "session.list: its doc is missing or no sentence"],
    [[command({ id: "List" })], "List: an id is group.verb"],
    [[command({ keys: "ctrl+nonsense" })], 'session.list: "nonsense" is no key'],
    [[command({ original: "nothing" })], "session.list: the original has no nothing"],
    [[command({ keys: "j" }), command({ id: "a.b", keys: "f1,j" })], "a.b: j in global is session.list's"],
    [[command({ slash: ["x"] }), command({ id: "a.b", slash: ["x"] })], "a.b: /x is session.list's"],
    [
      [command({ keys: "ctrl+x" }), command({ id: "a.b", keys: "ctrl+x a" })],
      "session.list: ctrl+x is the beginning of a.b's ctrl+x a",
    ],
  ] as const)("%#", (commands, problem) => {
    expect(commandProblems(commands)).toContain(problem)
  })

  test("and none of these", () => {
    expect(commandProblems([list, undo, down, command({ id: "a.b", keys: "j" })])).toEqual([])
  })
})

test("the document has every command with its keys and names", () => {
  const text = keysDocument([list, down, command({ id: "view.pipe", group: "View", keys: "|" })])
  expect(text).toContain(
    "| `ctrl+x l` | `/sessions` | `session.list`, `session_list` | **Sessions.** Opens the list of sessions. |",
  )
  expect(text).toContain("| `j` (transcript) |  | `transcript.down` |")
  expect(text).toContain("## View\n\n| key | slash | name | what happens |\n|---|---|---|---|\n| `\\|` |")
})
