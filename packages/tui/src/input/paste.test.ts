import { describe, expect, test } from "bun:test"
import { imageType, pasted, pastedPath } from "./paste.ts"

describe("a paste", () => {
  test("of a few lines is text", () => {
    expect(pasted("a\tb\r\nc\rd")).toEqual({ kind: "inline", text: "a\tb\nc\nd" as never })
    expect(pasted(new TextEncoder().encode("世界")).text as string).toBe("世界")
    expect(pasted("1\n2\n3\n4\n5\n").kind).toBe("inline")
    expect(pasted("x".repeat(800)).kind).toBe("inline")
  })

  test("of more is a chip that says how much", () => {
    expect(pasted("line\n".repeat(120))).toMatchObject({ kind: "chip", label: "[pasted 120 lines]" })
    expect(pasted("x".repeat(801))).toMatchObject({ kind: "chip", label: "[pasted 801 characters]" })
  })

  test("brings no orders to the terminal", () => {
    expect(pasted("a\x1b[201~\x1b]52;c;AA\x07b\u202e").text as string).toBe("ab⟨U+202E⟩")
  })
})

describe("a file that was dropped on the terminal", () => {
  test.each([
    ["/home/u/a.png", "/home/u/a.png"],
    ["/home/u/my\\ cat\\ \\(1\\).png", "/home/u/my cat (1).png"],
    ["'/home/u/my cat.png'", "/home/u/my cat.png"],
    ['"/home/u/my cat.png" ', "/home/u/my cat.png"],
    ["file:///home/u/my%20cat.png", "/home/u/my cat.png"],
    ["~/a.txt", "~/a.txt"],
    ["C:\\a\\b.png", "C:\\a\\b.png"],
    ["./src/a.ts", "./src/a.ts"],
  ])("%s", (text, path) => {
    if (path.startsWith("C:")) expect(pastedPath(text)).toBeDefined()
    else expect(pastedPath(text)).toBe(path)
  })

  test.each(["", "two words", "/a b", "/a\n/b", "just-a-word", "file://other.host/a", "https://a.b/c", "'/a"])(
    "%j is none",
    (text) => {
      expect(pastedPath(text)).toBeUndefined()
    },
  )

  test("is a picture by its ending", () => {
    expect(imageType("/a/b.PNG")).toBe("image/png")
    expect(imageType("/a/b.jpeg")).toBe("image/jpeg")
    expect(imageType("/a/b.ts")).toBeUndefined()
    expect(imageType("/a/b.constructor")).toBeUndefined()
  })
})
