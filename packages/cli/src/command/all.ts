import type { Command } from "../argv/define.ts"
import { completionCommand } from "./completion.ts"
import { debugConfigCommand } from "./debug-config.ts"
import { debugGcCommand } from "./debug-gc.ts"
import { debugPathsCommand } from "./debug-paths.ts"
import { debugProbeCommand } from "./debug-probe.ts"
import { debugResetTerminalCommand } from "./debug-reset-terminal.ts"
import { debugTerminalCommand } from "./debug-terminal.ts"
import { debugTraceCommand } from "./debug-trace.ts"
import { debugVerifyCommand } from "./debug-verify.ts"
import { debugRebuildSearchCommand } from "./debug-rebuild-search.ts"
import { doctorCommand } from "./doctor.ts"
import { modelsCommand } from "./models.ts"
import { permissionListCommand } from "./permission-list.ts"
import { permissionRemoveCommand } from "./permission-remove.ts"
import { redoCommand } from "./redo.ts"
import { runCommand } from "./run.ts"
import { serveCommand } from "./serve.ts"
import { statsCommand } from "./stats.ts"
import { sessionCompactCommand } from "./session-compact.ts"
import { sessionDeleteCommand } from "./session-delete.ts"
import { sessionDiffCommand } from "./session-diff.ts"
import { sessionExportCommand } from "./session-export.ts"
import { sessionForkCommand } from "./session-fork.ts"
import { sessionInboxCommand } from "./session-inbox.ts"
import { sessionListCommand } from "./session-list.ts"
import { sessionRenameCommand } from "./session-rename.ts"
import { sessionSearchCommand } from "./session-search.ts"
import { sessionRevertCommand } from "./session-revert.ts"
import { sessionShowCommand } from "./session-show.ts"
import { undoCommand } from "./undo.ts"
import { trustCommand } from "./trust.ts"

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  runCommand,
  undoCommand,
  redoCommand,
  modelsCommand,
  sessionListCommand,
  sessionSearchCommand,
  sessionShowCommand,
  sessionDiffCommand,
  sessionRevertCommand,
  sessionForkCommand,
  sessionExportCommand,
  sessionRenameCommand,
  sessionInboxCommand,
  sessionCompactCommand,
  sessionDeleteCommand,
  statsCommand,
  serveCommand,
  permissionListCommand,
  permissionRemoveCommand,
  trustCommand,
  doctorCommand,
  completionCommand(() => commands),
  debugPathsCommand,
  debugConfigCommand,
  debugTraceCommand,
  debugTerminalCommand,
  debugResetTerminalCommand,
  debugVerifyCommand,
  debugGcCommand,
  debugRebuildSearchCommand,
  debugProbeCommand,
]
