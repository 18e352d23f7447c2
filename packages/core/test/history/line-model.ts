/** One line of a file, and who put it there and took it out. No two lines are alike. */
interface ModelLine {
  readonly text: string
  readonly by: "start" | "agent" | "user"
  agentGone: boolean
  userGone: boolean
  /** The agent took it out and the user put it back: when it goes again, nobody can tell by whom. */
  contested: boolean
}

/** Which lines stand: with the work of the agent, or without it. */
export type View = "with agent" | "without agent"

export interface LineEdit {
  /** Where among the lines that stand, as a share of them. */
  readonly at: number
  readonly remove: number
  readonly insert: number
}

/**
 * A file as a list of all lines that it ever had. What it holds with or without the work of one side follows from who
 * inserted and removed each of them, so it is the reference for what a merge has to give.
 */
export class LineModel {
  readonly #lines: ModelLine[] = []
  #made = 0

  constructor(
    readonly name: string,
    start: number,
  ) {
    for (let n = 0; n < start; n++) this.#lines.push(this.#line("start"))
  }

  text(view: View): string {
    return this.#standing(view)
      .map(({ text }) => text)
      .join("")
  }

  edit(by: "agent" | "user", view: View, { at, remove, insert }: LineEdit): void {
    const standing = this.#standing(view)
    const from = Math.floor(at * (standing.length + 1))
    for (const line of standing.slice(from, from + remove)) {
      const agents = by === "agent" || (line.contested && view === "with agent")
      line[agents ? "agentGone" : "userGone"] = true
    }
    const before = standing[from - 1]
    const place = before ? this.#lines.indexOf(before) + 1 : 0
    this.#lines.splice(place, 0, ...Array.from({ length: insert }, () => this.#line(by)))
  }

  /** The user takes everything that the agent did out by hand. */
  undoByHand(): void {
    for (const line of this.#lines) {
      line.contested ||= line.agentGone
      line.agentGone = false
      if (line.by === "agent") line.userGone = true
    }
  }

  /** Lines of the user that stand. */
  userLines(view: View): string[] {
    return this.#standing(view).flatMap(({ by, text }) => (by === "user" ? [text] : []))
  }

  #line(by: ModelLine["by"]): ModelLine {
    return { text: `${this.name} ${by} ${this.#made++}\n`, by, agentGone: false, userGone: false, contested: false }
  }

  #standing(view: View): ModelLine[] {
    return this.#lines.filter((line) =>
      view === "with agent" ? !line.agentGone && !line.userGone : line.by !== "agent" && !line.userGone,
    )
  }
}
