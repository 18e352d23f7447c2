import { writeSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { CliRenderEvents, type CliRenderer, createCliRenderer, createHostClipboard } from "@opentui/core"
import { type Caps, capsOf } from "./caps.ts"
import { type Copied, copy } from "./clipboard.ts"
import { notificationBytes, type Via } from "./notify.ts"
import { resetSequences } from "./reset.ts"
import { type Safe, sanitize } from "./sanitize.ts"

export interface ScreenOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly mouse: boolean
  /** Notes a defect somewhere and returns where. Called with the terminal restored. */
  readonly report: (error: unknown) => string | undefined
  /** Takes what libraries print: on the screen it would stand in the middle of a frame. */
  readonly note: (text: string) => void
}

/** What the renderer changes and does not put back: the title, and whether widths are counted by graphemes. */
const save = "\x1b[22;2t\x1b[?2027s"
const restore = "\x1b[?2027r\x1b[23;2t"
const exitSignals = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const

/** The terminal while we have it: whichever way the process ends, all of its modes are as they were. */
export interface Screen {
  readonly renderer: CliRenderer
  readonly caps: Caps
  setTitle(title: Safe): void
  /** Calls the user, if `via` is a way to. */
  notify(via: Via, title: string, body: string): void
  copy(text: string): Promise<Copied>
  /** Stops the process as ctrl+z does elsewhere, until the shell continues it. False where there is no such thing. */
  suspend(): boolean
  /** Gives the terminal to `work` (an editor), and takes it back when that ends, however it does. */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Restores the terminal. Idempotent. */
  close(): void
}

/** Takes the terminal. Rejects, with the terminal restored, when the renderer cannot. */
export async function openScreen({ env, mouse, report, note }: ScreenOptions): Promise<Screen> {
  send(save)
  const renderer = await createCliRenderer({
    exitOnCtrlC: false,
    // Ours restore the terminal and end the process with the signal's own exit code.
    exitSignals: [],
    consoleMode: "disabled",
    openConsoleOnError: false,
    // Motion without a button is reported for every cell that the mouse passes.
    enableMouseMovement: false,
    useMouse: mouse,
    targetFps: 30,
    useKittyKeyboard: { disambiguate: true, alternateKeys: true },
  })
  const caps = capsOf(env)
  const host = caps.remote ? undefined : createHostClipboard()
  const unmute = mute(note)
  let open = true

  const close = () => {
    if (!open) return
    open = false
    unmute()
    for (const [name, listener] of listeners) process.off(name, listener)
    try {
      renderer.destroy()
      send(restore)
    } catch {
      // Half a renderer: say everything that it might have left on.
      send(resetSequences)
    }
  }
  const leave = (signal: (typeof exitSignals)[number]) => {
    close()
    process.exit(128 + constants.signals[signal])
  }
  const defect = (error: unknown) => {
    close()
    const place = report(error)
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const where = place === undefined ? "" : `\ncairn: the report is in ${sanitize(place)}`
    process.stderr.write(`cairn: internal error: ${sanitize(text)}${where}\n`)
    process.exit(1)
  }
  const listeners: (readonly [string, (value: unknown) => void])[] = [
    ...exitSignals.map((signal) => [signal, () => leave(signal)] as const),
    ["uncaughtException", defect],
    ["unhandledRejection", defect],
    ["exit", close],
    ["SIGTSTP", () => stop(renderer)],
  ]
  for (const [name, listener] of listeners) process.on(name, listener)
  renderer.on(CliRenderEvents.RENDER_ERROR, ({ error }: { error: Error }) => defect(error))

  return {
    renderer,
    caps,
    close,
    setTitle: (title) => {
      if (open) renderer.setTerminalTitle(title)
    },
    notify: (via, title, body) => {
      if (open) send(notificationBytes(via, title, body, caps))
    },
    copy: (text) =>
      copy(text, {
        directory: tmpdir(),
        terminal: (content) => open && renderer.isOsc52Supported() && renderer.copyToClipboardOSC52(content),
        ...(host === undefined
          ? {}
          : { host: async (content: string) => (await host.writeText(content)).status === "written" }),
      }),
    suspend: () => process.platform !== "win32" && stop(renderer),
    aside: async (work) => {
      renderer.suspend()
      send(restore)
      try {
        return await work()
      } finally {
        if (open) takeBack(renderer)
      }
    },
  }
}

/** The console goes to `note` until the function that is returned is called. */
function mute(note: (text: string) => void): () => void {
  const take = (...values: unknown[]) => note(Bun.inspect(values))
  const { debug, error, info, log, warn } = console
  Object.assign(console, { debug: take, error: take, info: take, log: take, warn: take })
  return () => void Object.assign(console, { debug, error, info, log, warn })
}

/** Gives the terminal back and stops the whole job, as the shell started it; goes on where it was when continued. */
function stop(renderer: CliRenderer): true {
  renderer.suspend()
  send(restore)
  process.once("SIGCONT", () => takeBack(renderer))
  // SIGTSTP is ours to handle: only this one stops.
  process.kill(0, "SIGSTOP")
  return true
}

function takeBack(renderer: CliRenderer): void {
  send(save)
  renderer.resume()
  renderer.requestRender()
}

/** Between frames, for what the renderer has no word for. A terminal that is gone takes nothing. */
function send(bytes: string): void {
  if (bytes === "") return
  try {
    writeSync(1, bytes)
  } catch (error) {
    // A notification is not worth waiting for a terminal that is stuck.
    if (!["EAGAIN", "EIO", "EPIPE", "EBADF"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
