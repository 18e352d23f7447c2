import type { Clock } from "@cairn/kernel/clock"
import type { Engine } from "@cairn/schema/engine"
import type { Log } from "@cairn/kernel/log"
import type { Result } from "@cairn/kernel/result"
import type { BodyOf, OperationShape, ParamsOf, QueryOf, ResponseOf } from "@cairn/schema/operation/define"
import type { OperationID, Operations } from "@cairn/schema/operation/all"
import type { EventHub } from "./event/hub.ts"
import type { Failure } from "./failure.ts"
import type { Instances } from "./instances.ts"
import type { TuiRelay } from "./tui-relay.ts"

/** The connection that a request came by. */
export interface Connection {
  /** Of the other end. */
  readonly address: string
  /** No idle timeout ends the request from here on. */
  keepOpen(): void
  /** Without a byte for so many seconds it is closed. */
  closeIn(seconds: number): void
}

/** What every route may use, built once. */
export interface ServerContext {
  readonly version: string
  /** The directory of a call that names none. */
  readonly directory: string
  readonly instances: Instances
  readonly clock: Clock
  readonly log: Log
  readonly events: EventHub
  readonly tui: TuiRelay
  /** Work that goes on after its call was answered. What it throws is logged. The engine of the directory stays meanwhile. */
  background(directory: string, what: string, work: () => Promise<void>): void
}

/** One call of an operation, after every check. */
export interface Call<O extends OperationShape> {
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  readonly body: BodyOf<O>
  readonly engine: O["reach"] extends "directory" ? Engine : undefined
  readonly server: ServerContext
  readonly request: Request
  readonly connection: Connection
}

/** A list with the place where the next page begins, if there is more. */
export interface Page<T> {
  readonly items: T
  readonly next: string | undefined
}

type Success<O extends OperationShape> = O["stream"] extends string
  ? Response
  : O["paged"] extends true
    ? Page<ResponseOf<O>>
    : ResponseOf<O>

type Answer<O extends OperationShape> = Result<Success<O>, Failure>

/** A route: one call into the engine. It decides nothing but how an outcome is told. */
export type Route<O extends OperationShape> = (call: Call<O>) => Answer<O> | Promise<Answer<O>>

/** The routes of a group of the table. */
export type Routes<Id extends OperationID> = { readonly [K in Id]: Route<Operations[K]> }
