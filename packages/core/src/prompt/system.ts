import type { Agent } from "../agent/define.ts"
import { type Instruction, instructionBlock } from "../instruction/define.ts"
import { baseOf, isSmall, type BaseName, type ModelFacts } from "./base.ts"
import claude from "./claude.md" with { type: "text" }
import codex from "./codex.md" with { type: "text" }
import standard from "./default.md" with { type: "text" }
import editExact from "./edit-exact.md" with { type: "text" }
import editPatch from "./edit-patch.md" with { type: "text" }
import gemini from "./gemini.md" with { type: "text" }
import gpt from "./gpt.md" with { type: "text" }
import house from "./house.md" with { type: "text" }
import open from "./open.md" with { type: "text" }
import { bounded } from "./reminder.ts"
import small from "./small.md" with { type: "text" }
import smallExact from "./small-exact.md" with { type: "text" }
import smallHouse from "./small-house.md" with { type: "text" }
import smallPatch from "./small-patch.md" with { type: "text" }
import structuredOutput from "./structured-output.md" with { type: "text" }

export interface SystemInput {
  /** `provider/model`, as the user writes it. */
  readonly model: string
  readonly facts: ModelFacts
  readonly agent: Pick<Agent, "prompt">
  readonly directory: string
  readonly worktree: string
  /** `linux`, `darwin`, `win32`. */
  readonly platform: string
  readonly git: boolean
  /** The list of skills, ready to stand there. */
  readonly skills?: string
  /** As `Instructions.of` gives them. */
  readonly instructions: readonly Instruction[]
  /** The result is wanted as data. */
  readonly structured?: boolean
  /** What came with the prompt itself. */
  readonly own?: string
}

/** A piece of the prompt. They stand in this order. */
export interface SystemFragment {
  readonly name: "base" | "environment" | "skills" | "instructions" | "structured-output" | "agent" | "own"
  readonly text: string
}

const bases: Readonly<Record<BaseName, string>> = { claude, codex, gemini, gpt, open, small, default: standard }

/** Most characters of all instruction files together. */
const mostInstructions = 128 * 1024
/** Most characters of every other piece that is not ours. */
const longestPiece = 64 * 1024

/** Every piece of the system prompt, in order; those that have nothing to say are left out. The same input gives the same bytes. */
export function systemFragments(input: SystemInput): readonly SystemFragment[] {
  const { agent, skills, structured, own } = input
  const piece = (text = "") => bounded(text.trim(), longestPiece)
  const fragments: SystemFragment[] = [
    { name: "base", text: baseText(input.facts) },
    { name: "environment", text: environmentBlock(input) },
    { name: "skills", text: piece(skills) },
    { name: "instructions", text: instructionBlocks(input).join("\n\n") },
    { name: "structured-output", text: structured ? structuredOutput.trim() : "" },
    { name: "agent", text: piece(agent.prompt) },
    { name: "own", text: piece(own) },
  ]
  return fragments.filter(({ text }) => text !== "")
}

/**
 * The system prompt in two blocks: what is the same for every session with this kind of model, then what belongs to
 * this one. What changes by itself (the date, what git says) is not in it.
 */
export function systemPrompt(input: SystemInput): readonly [string, string] {
  const [base, ...rest] = systemFragments(input).map(({ text }) => text)
  return [base ?? "", rest.join("\n\n")]
}

function baseText(facts: ModelFacts): string {
  const patch = facts.format === "patch"
  const parts = isSmall(facts)
    ? [small, patch ? smallPatch : smallExact, smallHouse]
    : [bases[baseOf(facts)], patch ? editPatch : editExact, house]
  return parts.map((part) => part.trim()).join("\n\n")
}

function environmentBlock({ model, directory, worktree, platform, git }: SystemInput): string {
  return [
    "<environment>",
    `Working directory: ${oneLine(directory)}`,
    ...(worktree === directory ? [] : [`Project root: ${oneLine(worktree)}`]),
    `Git repository: ${git ? "yes" : "no"}`,
    `Platform: ${oneLine(platform)}`,
    `Model: ${oneLine(model)}`,
    "</environment>",
  ].join("\n")
}

function instructionBlocks({ instructions }: SystemInput): string[] {
  let left = mostInstructions
  return instructions.map((one) => {
    const leftOut = "[left out: the files of instructions are too long together]"
    const block = instructionBlock(one, left > 0 ? bounded(one.text, left) : leftOut)
    left -= one.text.length
    return block
  })
}

const oneLine = (text: string) => text.replaceAll(/[\0-\x1f\x7f]/g, "?")
