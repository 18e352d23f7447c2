import { GlobalWireEvent, WireEvent } from "../wire-event.ts"
import { operationGroup } from "./define.ts"

export const eventOperations = operationGroup({
  "event.subscribe": {
    method: "GET",
    path: "/event",
    summary: "What happens in a directory; with Last-Event-ID, from there on",
    response: WireEvent,
    stream: "events",
    reach: "directory",
    changes: false,
  },
  "global.event": {
    method: "GET",
    path: "/global/event",
    summary: "What happens in all directories; with Last-Event-ID, from there on",
    response: GlobalWireEvent,
    stream: "events",
    reach: "process",
    changes: false,
  },
})
