import type { Layer, SandboxBounds } from "./bounds.ts"

/**
 * The profile for macOS's `sandbox-exec`, in its own language: everything is allowed but writing outside of the bounds,
 * reading what is hidden, and the network where it is off. Of several rules that match, the last one counts.
 */
export function seatbeltProfile({ layers, network }: SandboxBounds): string {
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    ...["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/ptmx"].map(
      (path) => `(allow file-write* (literal ${text(path)}))`,
    ),
    '(allow file-write* (regex #"^/dev/(ttys|fd/)[0-9]+$"))',
    ...layers.flatMap(rules),
    // Sockets of files stay: what is hidden among them cannot be opened.
    ...(network
      ? []
      : ["(deny network*)", "(allow network* (local unix-socket))", "(allow network* (remote unix-socket))"]),
    ...layers.filter(({ access }) => access === "hidden").map(({ path }) => `(deny network* (subpath ${text(path)}))`),
    // Others would act for it.
    "(deny appleevent-send)",
    "(deny process-info* (target others))",
    "",
  ].join("\n")
}

function rules({ path, access }: Layer): string[] {
  const place = `(subpath ${text(path)})`
  if (access === "hidden") return [`(deny file-read* file-write* ${place})`]
  // It may lie in what is hidden.
  return [`(allow file-read* ${place})`, `(${access === "writable" ? "allow" : "deny"} file-write* ${place})`]
}

/** A string of the profile's language. */
const text = (value: string): string => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
