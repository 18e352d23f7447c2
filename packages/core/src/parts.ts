import type { Database } from "bun:sqlite"
import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import type { Log } from "@cairn/kernel/log"
import type { TaskGroup } from "@cairn/kernel/task"
import type { EnginePaths } from "@cairn/schema/engine"
import type { Collected } from "@cairn/schema/history"
import type { Agents } from "./agent/agents.ts"
import type { LoadedConfig } from "./config/load.ts"
import type { EngineOptions } from "./engine-options.ts"
import type { AuthFile } from "./model/auth-file.ts"
import type { Catalog } from "./model/catalog.ts"
import type { Models } from "./model/registry.ts"
import type { Asks } from "./permission/asks.ts"
import type { Coordinator } from "./session/coordinator.ts"
import type { Preparer } from "./session/prepare.ts"
import type { Git } from "./process/git.ts"
import type { Supervisor } from "./process/supervisor.ts"
import type { CurrentProject } from "./session/project.ts"
import type { Questions } from "./session/questions.ts"
import type { Reverts } from "./session/reverts.ts"
import type { Store } from "./store/store.ts"
import type { BlobStore } from "./workspace/history/blob-store.ts"
import type { Location } from "./workspace/project.ts"

/** What `app.ts` has built. */
export interface Parts {
  readonly database: Database
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly version: string
  readonly env: EngineOptions["env"]
  readonly location: Location
  readonly paths: EnginePaths
  readonly config: LoadedConfig
  readonly warnings: readonly string[]
  readonly auth: AuthFile
  readonly catalog: Catalog
  readonly models: Models
  readonly agents: Agents
  readonly asks: Asks
  readonly questions: Questions
  readonly project: CurrentProject
  readonly supervisor: Supervisor
  readonly git: Git
  readonly history: {
    readonly blobs: BlobStore
    collect(options: { dryRun: boolean; signal: AbortSignal }): Promise<Collected>
  }
  readonly preparer: Preparer
  readonly coordinator: Coordinator
  /** Loaded when it is needed. */
  reverts(): Promise<Reverts>
  /** Work that belongs to no turn. */
  readonly scope: TaskGroup
  dispose(): Promise<void>
}
