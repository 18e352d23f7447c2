import { type Safe, sanitizeLine, ui } from "./sanitize.ts"

/** What the window's title says of a session. */
export interface TitleState {
  /** Undefined on the home screen. */
  readonly session?: string
  readonly busy: boolean
  /** Somebody has to answer: an ask, or a question. */
  readonly waits: boolean
}

const longestName = 60

/** `cairn`, `cairn ◐ name` while a turn runs, `cairn ! name` while it waits for the user. */
export function titleOf({ session, busy, waits }: TitleState): Safe {
  const name = session === undefined ? undefined : shortened(session)
  const mark = waits ? ui`! ` : busy ? ui`◐ ` : ui``
  return name === undefined || name === "" ? ui`cairn` : ui`cairn ${mark}${name}`
}

function shortened(name: string): Safe {
  const safe = sanitizeLine(name).trim() as Safe
  const characters = [...new Intl.Segmenter().segment(safe)]
  if (characters.length <= longestName) return safe
  const kept = characters.slice(0, longestName - 1).map(({ segment }) => segment)
  return ui`${kept.join("") as Safe}…`
}
