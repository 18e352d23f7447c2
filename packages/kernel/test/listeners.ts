import { getEventListeners } from "node:events"

/** How many abort listeners hang on a signal: what must be back at its old count when work has ended. */
export const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length
