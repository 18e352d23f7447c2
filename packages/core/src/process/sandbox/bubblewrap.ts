import type { Layer, SandboxBounds } from "./bounds.ts"

/**
 * The arguments of bubblewrap that put a command into its bounds. The whole disk is there, read-only; the layers are
 * laid over it. Processes outside are not seen: their /proc would be a way out.
 */
export function bubblewrapArguments({ layers, network }: SandboxBounds, cwd: string, asRoot: boolean): string[] {
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Root could set the kernel's handlers here, which run outside.
    ...(asRoot ? ["--ro-bind", "/proc/sys", "/proc/sys"] : []),
    ...devices.flatMap((path) => ["--dev-bind-try", path, path]),
    ...layers.flatMap(mount),
    // Only now: a place in a hidden one needs something to be laid upon.
    ...layers.flatMap(({ access, kind, path }) =>
      access === "hidden" && kind === "directory" ? ["--remount-ro", path] : [],
    ),
    ...["--unshare-pid", "--unshare-ipc"],
    ...(network ? [] : ["--unshare-net"]),
    // Root would otherwise keep what mounts again.
    ...(asRoot ? ["--cap-drop", "ALL", ...kept.flatMap((name) => ["--cap-add", name])] : []),
    ...["--chdir", cwd, "--"],
  ]
}

function mount({ path, access, kind }: Layer): string[] {
  if (access === "writable") return ["--bind-try", path, path]
  if (access === "read-only") return ["--ro-bind-try", path, path]
  return kind === "directory" ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path]
}

const devices = ["/dev/dri", "/dev/kvm", "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"]

/** What root needs for files of others and for its own work; nothing that mounts, traces or makes devices. */
const kept = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "NET_BIND_SERVICE"].map(
  (name) => `CAP_${name}`,
)
