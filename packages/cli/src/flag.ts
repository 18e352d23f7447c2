import { err, ok, type Result } from "@cairn/kernel/result"
import type { Flag } from "./argv/define.ts"

/** The flags of every command, one object each. A command lists those it takes. */

const words = (text: string): Result<string, string> => (text.trim() === "" ? err("the value is empty") : ok(text))

const on = (text: string): Result<boolean, string> =>
  text === "true" || text === "false" ? ok(text === "true") : err("a switch takes no value (or =true, =false)")

export const modelFlag: Flag<string> = {
  name: "model",
  short: "m",
  value: "provider/model",
  doc: "Model to use, for example anthropic/claude-sonnet-4-5 or demo/tour",
  completion: "model",
  parse: (text) =>
    /^[^/\s]+\/\S+$/.test(text)
      ? ok(text)
      : err(`expected provider/model, for example demo/tour, got ${JSON.stringify(text)}`),
}

export const variantFlag: Flag<string> = {
  name: "variant",
  value: "name",
  doc: "How the model is called, mostly how long it thinks, for example high; cairn models --format json lists them",
  completion: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  parse: words,
}

export const agentFlag: Flag<string> = {
  name: "agent",
  short: "a",
  value: "name",
  doc: "Primary agent that works on the message, for example build or plan",
  completion: "agent",
  parse: words,
}

export const sessionFlag: Flag<string> = {
  name: "session",
  short: "s",
  value: "id",
  doc: "Continue this session",
  completion: "session",
  parse: sessionID,
}

export const continueFlag: Flag<boolean> = {
  name: "continue",
  short: "c",
  doc: "Continue the newest session of the directory",
  parse: on,
}

export const forkFlag: Flag<boolean> = {
  name: "fork",
  doc: "With --continue or --session: work in a copy, the session itself stays as it is",
  parse: on,
}

export const atFlag: Flag<string> = {
  name: "at",
  value: "message",
  doc: "Id of the first message that is not copied (default: all are)",
  parse: (text) =>
    /^msg_\w+$/.test(text) ? ok(text) : err(`expected the id of a message, got ${JSON.stringify(text)}`),
}

export const formatFlag: Flag<"text" | "json"> = {
  name: "format",
  value: "text|json",
  doc: "text for people, json for programs",
  completion: ["text", "json"],
  parse: (text) =>
    text === "text" || text === "json" ? ok(text) : err(`expected text or json, got ${JSON.stringify(text)}`),
}

export const fileFlag: Flag<string> = {
  name: "file",
  short: "f",
  value: "path",
  doc: "Attach a text file, an image, a PDF or the list of a directory",
  repeatable: true,
  completion: "file",
  parse: words,
}

export const autoFlag: Flag<boolean> = {
  name: "auto",
  doc: "Approve what the rules ask about, except protected paths and the loop guard; a deny stays a deny",
  parse: on,
}

/** A limit of money, or of tokens; given twice, one of each. */
export const budgetFlag: Flag<{ readonly money: number } | { readonly tokens: number }> = {
  name: "budget",
  value: "amount",
  doc: "Stop before a model call once this run has used so much: dollars (0.50) or tokens (20000tokens)",
  repeatable: true,
  parse(text) {
    const match = /^(?:(\d{1,7}(?:\.\d{1,9})?|\.\d{1,9})|(\d{1,12})tokens)$/.exec(text.trim())
    const [money, tokens] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
    if (money > 0) return ok({ money })
    if (tokens > 0) return ok({ tokens })
    return err(`expected dollars, for example 0.50, or tokens, for example 20000tokens, got ${JSON.stringify(text)}`)
  },
}

export const schemaFlag: Flag<string> = {
  name: "schema",
  value: "path",
  doc: "Answer as JSON that fits the JSON schema in this file; stdout is that JSON alone",
  completion: "file",
  parse: words,
}

export const titleFlag: Flag<string> = {
  name: "title",
  value: "text",
  doc: "Title of the session",
  parse: words,
}

export const dirFlag: Flag<string> = {
  name: "dir",
  short: "C",
  value: "path",
  doc: "Directory to work in, instead of the current one",
  completion: "directory",
  parse: words,
}

export const deltasFlag: Flag<boolean> = {
  name: "deltas",
  doc: "With --format json: also the pieces of a text while it is written",
  parse: on,
}

export const interactivePermissionsFlag: Flag<boolean> = {
  name: "interactive-permissions",
  doc: "Print asks on stdout as events and read the answers from stdin, one JSON object a line",
  parse: on,
}

export const trustFlag: Flag<boolean> = {
  name: "trust",
  doc: "Trust the project's own configuration for this run",
  parse: on,
}

export const allFlag: Flag<boolean> = {
  name: "all",
  doc: "Sessions of every directory of the project",
  parse: on,
}

export const allModelsFlag: Flag<boolean> = {
  name: "all",
  doc: "Also models that cannot be used as things are, mostly because no key is present",
  parse: on,
}

export const limitFlag: Flag<number> = {
  name: "limit",
  short: "n",
  value: "number",
  doc: "At most so many",
  parse: (text) =>
    /^[1-9]\d{0,5}$/.test(text)
      ? ok(Number(text))
      : err(`expected a number from 1 to 999999, got ${JSON.stringify(text)}`),
}

export const lastFlag: Flag<boolean> = {
  name: "last",
  doc: "The newest session of the directory",
  parse: on,
}

export const turnFlag: Flag<number> = {
  name: "turn",
  value: "number",
  doc: "Only this turn; 1 is the first one",
  parse: (text) =>
    /^[1-9]\d{0,5}$/.test(text)
      ? ok(Number(text))
      : err(`expected a number from 1 to 999999, got ${JSON.stringify(text)}`),
}

export const daysFlag: Flag<number | "all"> = {
  name: "days",
  value: "number|all",
  doc: "The last so many days, today included, or all of them (default: 30)",
  completion: ["1", "7", "30", "90", "365", "all"],
  parse(text) {
    if (text === "all") return ok(text)
    const fits = /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 36_500
    return fits ? ok(Number(text)) : err(`expected a number from 1 to 36500, or all, got ${JSON.stringify(text)}`)
  },
}

export const projectFlag: Flag<string> = {
  name: "project",
  value: "here|all|path",
  doc: "The project of this directory, all projects (the default), or the one of another directory",
  completion: "directory",
  parse: words,
}

export const forProjectFlag: Flag<boolean> = {
  name: "project",
  doc: "Only what holds in the whole project",
  parse: on,
}

export const givenInFlag: Flag<string> = {
  name: "session",
  short: "s",
  value: "id",
  doc: "Only what was approved in this session",
  completion: "session",
  parse: sessionID,
}

export const modelTableFlag: Flag<boolean> = {
  name: "models",
  doc: "Every model with its tokens by kind and its cache-hit rate",
  parse: on,
}

export const toolTableFlag: Flag<boolean> = {
  name: "tools",
  doc: "What each tool took: calls, failures, and tokens of its schema and its results",
  parse: on,
}

export const cursorFlag: Flag<string> = {
  name: "cursor",
  value: "cursor",
  doc: "Go on after the page that gave this cursor",
  parse: words,
}

export const messageFlag: Flag<string> = {
  name: "message",
  value: "id",
  doc: "Begin at this message, for example one that a search found",
  parse: (text) =>
    /^msg_[0-9A-Za-z]+$/.test(text) ? ok(text) : err(`expected a message id (msg_…), got ${JSON.stringify(text)}`),
}

export const yesFlag: Flag<boolean> = {
  name: "yes",
  short: "y",
  doc: "Do not ask first; needed where nobody can be asked",
  parse: on,
}

export const ofSessionFlag: Flag<string> = {
  name: "session",
  short: "s",
  value: "id",
  doc: "Of this session, instead of the last one of the directory",
  completion: "session",
  parse: sessionID,
}

export const pointFlag: Flag<string> = {
  name: "to",
  value: "message|part",
  doc: "Id of the first message, or part of one, that is taken back",
  parse: (text) =>
    /^(?:msg|prt)_\w+$/.test(text)
      ? ok(text)
      : err(`expected the id of a message or a part, got ${JSON.stringify(text)}`),
}

export const pathFlag: Flag<string> = {
  name: "path",
  value: "path",
  doc: "Only this file, or what lies below this directory",
  repeatable: true,
  completion: "file",
  parse: words,
}

export const changedByFlag: Flag<string> = {
  name: "message",
  value: "id",
  doc: "Only what this message changed, or what was done for this prompt",
  parse: (text) =>
    /^msg_\w+$/.test(text) ? ok(text) : err(`expected the id of a message, got ${JSON.stringify(text)}`),
}

export const statFlag: Flag<boolean> = {
  name: "stat",
  doc: "Only the files, with lines added and removed",
  parse: on,
}

export const dryRunFlag: Flag<boolean> = {
  name: "dry-run",
  doc: "Only show what would be done",
  parse: on,
}

export const exportFormatFlag: Flag<"json" | "markdown"> = {
  name: "format",
  value: "json|markdown",
  doc: "json holds everything, markdown is for reading",
  completion: ["json", "markdown"],
  parse: (text) =>
    text === "json" || text === "markdown" ? ok(text) : err(`expected json or markdown, got ${JSON.stringify(text)}`),
}

export const outputFlag: Flag<string> = {
  name: "output",
  short: "o",
  value: "path",
  doc: "Write to this new file (for the current user only) instead of stdout",
  completion: "file",
  parse: words,
}

export const sanitizeFlag: Flag<boolean> = {
  name: "sanitize",
  doc: "Leave out what files and commands held, and hide secrets and the home directory",
  parse: on,
}

export const removeTrustFlag: Flag<boolean> = {
  name: "remove",
  doc: "Trust it no more",
  parse: on,
}

export const networkFlag: Flag<boolean> = {
  name: "network",
  doc: "Also open one connection to the provider of the default model; nothing is sent",
  parse: on,
}

export const cancelFlag: Flag<boolean> = {
  name: "cancel",
  doc: "Take the prompt back; it is never answered",
  parse: on,
}

export const textFlag: Flag<string> = {
  name: "text",
  value: "text",
  doc: "What the prompt says instead; its files stay",
  parse: words,
}

export const deliveryFlag: Flag<"steer" | "queue"> = {
  name: "delivery",
  value: "steer|queue",
  doc: "steer enters the running turn, queue is a turn of its own afterwards",
  completion: ["steer", "queue"],
  parse: (text) =>
    text === "steer" || text === "queue" ? ok(text) : err(`expected steer or queue, got ${JSON.stringify(text)}`),
}

export const positionFlag: Flag<number> = {
  name: "position",
  value: "number",
  doc: "Its place among those that wait, from 1",
  parse: (text) =>
    /^[1-9]\d{0,3}$/.test(text) ? ok(Number(text)) : err(`expected a number from 1, got ${JSON.stringify(text)}`),
}

export const holdFlag: Flag<boolean> = {
  name: "hold",
  doc: "Keep the prompt back until --hold=false",
  parse: on,
}

export const hostnameFlag: Flag<string> = {
  name: "hostname",
  value: "name",
  doc: "Name or address to listen on (default: 127.0.0.1)",
  parse: (text) =>
    /^[\w.:-]+$/.test(text) ? ok(text) : err(`expected a host name or an address, got ${JSON.stringify(text)}`),
}

export const portFlag: Flag<number> = {
  name: "port",
  value: "number",
  doc: "Port to listen on, 0 for any (default: 4096, or any if taken)",
  parse: (text) =>
    /^\d{1,5}$/.test(text) && Number(text) < 65_536
      ? ok(Number(text))
      : err(`expected a port from 0 to 65535, got ${JSON.stringify(text)}`),
}

export const corsFlag: Flag<string> = {
  name: "cors",
  value: "origin",
  doc: "Let pages of this origin in, for example http://localhost:5173",
  repeatable: true,
  parse(text) {
    const origin = URL.canParse(text) ? new URL(text) : undefined
    const bare = origin && /^[a-z][\w+.-]*:\/\/[^/?#@]+$/i.test(text.replace(/\/$/, ""))
    if (!bare) return err(`expected an origin, for example http://localhost:5173, got ${JSON.stringify(text)}`)
    return ok(`${origin.protocol}//${origin.host}`)
  },
}

export const logLevelFlag: Flag<"DEBUG" | "INFO" | "WARN" | "ERROR"> = {
  name: "log-level",
  value: "level",
  doc: "How much goes to the log file: debug, info, warn or error",
  completion: ["debug", "info", "warn", "error"],
  parse(text) {
    const level = (["DEBUG", "INFO", "WARN", "ERROR"] as const).find((one) => one === text.toUpperCase())
    return level ? ok(level) : err(`expected debug, info, warn or error, got ${JSON.stringify(text)}`)
  },
}

export const insecureLoopbackFlag: Flag<boolean> = {
  name: "insecure-loopback",
  doc: "Ask nobody for a token: any program of this machine may use it",
  parse: on,
}

export const printTokenFlag: Flag<boolean> = {
  name: "print-token",
  doc: "Print the token and end, without serving",
  parse: on,
}

/** The shape of a session id; whether it exists is the engine's to say. */
function sessionID(text: string): Result<string, string> {
  return /^ses_[0-9A-Za-z]+$/.test(text) ? ok(text) : err(`expected a session id (ses_…), got ${JSON.stringify(text)}`)
}
