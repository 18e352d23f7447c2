import type { CommandPlan as Planned } from "../../permission/command.ts"
import type { SandboxState } from "../../process/sandbox/sandbox.ts"
import type { Ask } from "../define.ts"
import type { CommandPlan } from "./bash.ts"
import { confine, type ConfineDeps, environmentShown } from "./confine.ts"
import { changesNothing } from "./quiet.ts"

interface Line {
  readonly cwd: string
  readonly callID: string
  /** The model wants it to run without the sandbox. */
  readonly outside: boolean
  readonly unbounded: boolean
  /** Of the agent: it may look, and not write. */
  readonly readOnly: boolean
}

/**
 * What a line needs with what bounds commands here. With a sandbox a line that nobody can read follows the rules, and a
 * read-only agent may run any command; to run outside of it is always asked for, once, and never answered by `--auto`.
 */
export function boundedPlan(
  deps: ConfineDeps,
  sandbox: SandboxState,
  plan: (unbounded: boolean) => Planned,
  line: Line,
): CommandPlan {
  if (sandbox.kind === "none" || line.outside) {
    const { asks, facts, threats } = plan(line.unbounded)
    const given =
      sandbox.kind === "none" ? asks : asks.map((ask) => (ask.permission === "bash" ? toRunOutside(ask) : ask))
    return { asks: given, quiet: changesNothing(facts), threats }
  }
  const planned = plan(true)
  const environment = environmentShown(deps, planned)
  const shown = environment.length > 0 ? { environment } : {}
  const bounded = line.readOnly ? { bounded: true } : {}
  return {
    asks: planned.asks.map((ask) =>
      ask.permission === "bash" ? { ...ask, ...bounded, metadata: { ...ask.metadata, ...shown } } : ask,
    ),
    quiet: changesNothing(planned.facts),
    threats: planned.threats,
    confine: (argv) => confine(deps, sandbox, planned, line, argv),
  }
}

const toRunOutside = (ask: Ask): Ask => ({
  ...ask,
  always: [],
  mustAsk: {
    reason: [ask.mustAsk?.reason, "it is to run without the sandbox"].filter((one) => one !== undefined).join("; "),
    protected: true,
  },
})
