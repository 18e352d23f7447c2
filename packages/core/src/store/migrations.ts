import start from "./migration/0000_start.sql" with { type: "text" }
import sessionUpdated from "./migration/0001_session_updated.sql" with { type: "text" }
import spend from "./migration/0002_spend.sql" with { type: "text" }
import fileChange from "./migration/0003_file_change.sql" with { type: "text" }
import messageSummary from "./migration/0004_message_summary.sql" with { type: "text" }
import search from "./migration/0005_search.sql" with { type: "text" }
import revert from "./migration/0006_revert.sql" with { type: "text" }

/** Every migration in order, as text, since an executable has no folder to look into. `bun run migration` makes the next one. */
export const migrations: readonly Migration[] = [
  { name: "0000_start", sql: start },
  { name: "0001_session_updated", sql: sessionUpdated },
  { name: "0002_spend", sql: spend },
  { name: "0003_file_change", sql: fileChange },
  { name: "0004_message_summary", sql: messageSummary },
  { name: "0005_search", sql: search },
  { name: "0006_revert", sql: revert },
]

export interface Migration {
  readonly name: string
  readonly sql: string
}
