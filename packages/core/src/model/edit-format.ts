/** How a model changes files: whole patches, or edits and writes. */
export type EditFormat = "patch" | "edit"

/**
 * The format that a model was trained on. OpenAI's GPT from 4.1 on, and its codex models, know `apply_patch`; older ones
 * and the open weights do better with plain edits, as everybody else does.
 */
export function editFormatOf(apiID: string): EditFormat {
  const name = apiID.toLowerCase().split("/").at(-1) ?? ""
  if (/gpt-?oss/.test(name)) return "edit"
  if (/(^|[^a-z])codex/.test(name)) return "patch"
  const version = /(^|[^a-z])gpt-?(\d+)(?:[.-](\d{1,2})(?!\d))?/.exec(name)
  if (!version) return "edit"
  const [major, minor] = [Number(version[2]), Number(version[3] ?? 0)]
  return major > 4 || (major === 4 && minor >= 1) ? "patch" : "edit"
}
