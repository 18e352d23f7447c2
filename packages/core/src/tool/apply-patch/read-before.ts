import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { decodeText } from "../../workspace/encoding.ts"
import { readSnapshot } from "../../workspace/files.ts"
import { readTextFile } from "../../workspace/text-file.ts"
import type { TextFile } from "../../workspace/text-file.ts"
import { readWhole } from "../../workspace/whole-file.ts"
import type { WholeFile } from "../../workspace/whole-file.ts"
import type { PathState } from "./apply-to-texts.ts"
import type { PatchSection } from "./types.ts"

interface Before {
  readonly state: PathState
  readonly whole?: WholeFile
  readonly current?: TextFile
}

/** What stands at the path. Only what is updated has to be text: anything may be deleted or moved. */
export async function readBefore(section: PatchSection, path: string): Promise<Result<Before, ToolFailure>> {
  if (section.kind === "add") return ok({ state: await stateOf(path) })
  if (section.kind === "delete" || section.chunks.length === 0) {
    const whole = await readWhole(path)
    return whole.ok ? ok({ state: { text: "" }, whole: whole.value }) : absent(whole.error)
  }
  const file = await readTextFile(path)
  if (!file.ok) return absent(file.error)
  return ok(file.value ? { state: { text: file.value.text }, current: file.value } : { state: "missing" })
}

function absent(error: ToolFailure): Result<Before, ToolFailure> {
  if (error.kind === "missing") return ok({ state: "missing" })
  return error.kind === "directory" ? ok({ state: "directory" }) : err(error)
}

/** What stands at a path that is to be made; what is there is not read. */
export async function stateOf(path: string): Promise<PathState> {
  const read = await readSnapshot(path, 0)
  if (read.ok) return { text: "" }
  if (read.error.kind === "missing") return "missing"
  return read.error.kind === "directory" ? "directory" : { text: "" }
}

/** What there is to show of a file that goes. */
export function textOf({ bytes }: WholeFile): string {
  const decoded = bytes === "too_large" ? undefined : decodeText(bytes)
  return decoded?.ok ? decoded.value.text : ""
}
