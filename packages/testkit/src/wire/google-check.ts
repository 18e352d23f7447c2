import { list, name, record, type Json } from "./json.ts"

/** Why the real service would refuse this request with 400, in about its words; undefined when it would not. */
export function checkGoogle(body: unknown): string | undefined {
  const contents = record(body).contents
  if (contents === undefined) return undefined
  const turns = list(contents).map(record)
  if (turns.length === 0) return "contents is not specified"
  for (const [index, turn] of turns.entries()) {
    const parts = list(turn.parts).map(record)
    if (parts.length === 0) return `contents[${index}].parts must not be empty.`
    if (turn.role !== "user" && turn.role !== "model") return "Please use a valid role: user, model."
    const calls = called(turns[index - 1])
    const answers = answered(turn)
    if (answers.length > 0 && answers.join() !== calls.join()) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
    }
    if (calls.length > 0 && answers.length === 0) {
      return "Please ensure that function call turn comes immediately before a function response turn."
    }
  }
  return called(turns.at(-1)).length > 0
    ? "Please ensure that a function call turn has its function response turn."
    : undefined
}

const called = (turn: Json | undefined): string[] => names(turn, "functionCall")
const answered = (turn: Json | undefined): string[] => names(turn, "functionResponse")
const names = (turn: Json | undefined, kind: string): string[] =>
  list(turn?.parts)
    .map((part) => record(part)[kind])
    .filter((value) => value !== undefined)
    .map((value) => name(record(value).name))
