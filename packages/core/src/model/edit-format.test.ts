import { expect, test } from "bun:test"
import { editFormatOf } from "./edit-format.ts"

test.each([
  "gpt-5",
  "openai/gpt-5.2-pro",
  "gpt-4.1-mini",
  "databricks-gpt-5-1",
  "gpt-5.1-codex-mini",
  "codex-mini",
  "GPT-6",
])("%s gets patches", (id) => expect(editFormatOf(id)).toBe("patch"))

test.each([
  "gpt-4o",
  "gpt-4o-2024-08-06",
  "gpt-4-turbo",
  "gpt-4-0613",
  "gpt-3.5-turbo",
  "openai/gpt-oss-120b",
  "chatgpt-4o-latest",
  "fastgpt",
  "claude-sonnet-4-5",
  "o3",
  "qwen3-coder",
  "",
])("%s gets edits", (id) => expect(editFormatOf(id)).toBe("edit"))
