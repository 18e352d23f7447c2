import type { Command } from "../argv/define.ts"
import { corsFlag, hostnameFlag, insecureLoopbackFlag, logLevelFlag, portFlag, printTokenFlag } from "../flag.ts"

export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the engine over HTTP, for clients and programs",
  doc: [
    "One server works in any number of directories; each call names its own. The API is that of OpenCode with additions:" +
      " GET /doc describes it. Ends on SIGINT and SIGTERM, within five seconds and with every turn recorded as interrupted.",
    "Every call needs the token, which stands in the state directory (cairn debug paths) for the current user only and is" +
      " made once: as `Authorization: Bearer`, or as the password of basic authentication with any user name. A password" +
      " of your own may stand in CAIRN_SERVER_PASSWORD (or OPENCODE_SERVER_PASSWORD); without it, only this machine can be" +
      " served. Where the server is stands in server.json beside the token, so that other commands find it.",
  ].join("\n"),
  examples: ["cairn serve", "cairn serve --port 8080 --cors http://localhost:5173", "cairn serve --print-token"],
  flags: [hostnameFlag, portFlag, corsFlag, logLevelFlag, insecureLoopbackFlag, printTokenFlag],
  run: async (io, input) => (await import("../serve/serve.ts")).serve(io, input),
}
