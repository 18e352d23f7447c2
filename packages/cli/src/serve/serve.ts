import { join } from "node:path"
import { xdgPaths } from "@cairn/core/config/paths"
import { fileSink } from "@cairn/core/log-file"
import { createLog, type Log, type LogLevel } from "@cairn/kernel/log"
import type { Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { announceServer, withdrawServer } from "@cairn/server/discovery"
import type { Credentials } from "@cairn/server/guard/authentication"
import { type RunningServer, startServer } from "@cairn/server/serve"
import { readToken } from "@cairn/server/token-file"
import type { Input } from "../argv/define.ts"
import { corsFlag, hostnameFlag, insecureLoopbackFlag, logLevelFlag, portFlag, printTokenFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { needCwd, needHome } from "../open-engine.ts"
import { setupError } from "../report-error.ts"

/** The port that clients try first; the original's. */
const usualPort = 4096

/** Serves until it is interrupted. */
export async function serve(io: Io, input: Input): Promise<number> {
  const home = needHome(io)
  if (!home.ok) return setupError(io, home.error)
  const paths = xdgPaths(io.env, home.value)
  const token = await readToken(join(paths.stateDir, "token"))
  if (!token.ok) return setupError(io, token.error)
  if (input.get(printTokenFlag)) {
    io.stdout.write(`${token.value}\n`)
    return 0
  }
  const cwd = needCwd(io)
  if (!cwd.ok) return setupError(io, cwd.error)
  using sink = fileSink(join(paths.stateDir, "log", "cairn.log"))
  const level = input.get(logLevelFlag)
  const log = createLog(sink, io.clock, (level?.toLowerCase() as LogLevel | undefined) ?? "info").child("server")
  const started = start(io, input, { directory: cwd.value, home: home.value, token: token.value, log })
  if (!started.ok) return setupError(io, started.error)
  return await untilInterrupted(io, started.value, join(paths.stateDir, "server.json"))
}

interface Place {
  readonly directory: string
  readonly home: string
  readonly token: string
  readonly log: Log
}

function start(io: Io, input: Input, { directory, home, token, log }: Place): Result<RunningServer, SetupError> {
  const { env, version, clock } = io
  const level = input.get(logLevelFlag)
  const insecure = input.get(insecureLoopbackFlag) ?? false
  const port = input.get(portFlag)
  const options = {
    ...{ directory, version, clock, log, credentials: insecure ? {} : credentialsOf(io, token) },
    hostname: input.get(hostnameFlag) ?? "127.0.0.1",
    origins: input.all(corsFlag),
    openEngine: (at: string) =>
      io.openEngine({ directory: at, env, home, version, ...(level && { flags: { logLevel: level } }) }),
  }
  if (insecure)
    io.stderr.write("cairn: no token is asked for: every program of this machine can use the server and run commands\n")
  const usual = startServer({ ...options, port: port ?? usualPort })
  return usual.ok || port !== undefined || usual.error.kind !== "usage" ? usual : startServer({ ...options, port: 0 })
}

function credentialsOf({ env }: Io, token: string): Credentials {
  const password = env["CAIRN_SERVER_PASSWORD"] || env["OPENCODE_SERVER_PASSWORD"]
  return { token, ...(password && { password }) }
}

/** Says where it is, to people and in the file for programs, and waits. */
async function untilInterrupted(io: Io, server: RunningServer, file: string): Promise<number> {
  await using running = server
  const interrupted = Promise.withResolvers<void>()
  let before = false
  const unlisten = io.interruptions((which) => {
    // Who reads our output may go; the server stays.
    if (which === "SIGPIPE") return
    if (before) io.exitNow(which === "SIGINT" ? 130 : 143)
    before = true
    interrupted.resolve()
  })
  const { pid } = process
  try {
    const url = running.url.origin
    await announceServer(file, { url, pid, version: io.version, secured: running.secured, started: io.clock.now() })
    // The second line is what the original's SDK waits for.
    io.stdout.write(`cairn server listening on ${url}\nopencode server listening on ${url}\n`)
    await interrupted.promise
    await running.stop()
  } finally {
    unlisten()
    await withdrawServer(file, pid)
  }
  return 0
}
