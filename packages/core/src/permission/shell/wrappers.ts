/**
 * Programs that run the command among their arguments. `same`: they change nothing that a rule could care about, so that
 * the command stands for the line. `elevated`: both must be allowed. `runner`: a rule may name either. `elsewhere`: the
 * command runs in another system, so that only what is denied here is held against it.
 */
type WrapperKind = "same" | "elevated" | "runner" | "elsewhere"

export interface WrapperRow {
  readonly name: string
  readonly reason: string
  readonly kind: WrapperKind
  /** Words that must follow the name: `uv run`. */
  readonly words?: readonly string[]
  /** Short options without a value, and with one. */
  readonly flags?: string
  readonly valued?: string
  /** The same as long ones. */
  readonly long?: string
  readonly longValued?: string
  /** Words in front of the command that belong to the wrapper. */
  readonly operands?: number
  /** `NAME=value` in front of the command. */
  readonly assignments?: boolean
  /** Options with a number as the first of the words: `nice -5`. */
  readonly numeric?: boolean
  /** Short options that make it something else, with the reason why that is not understood. */
  readonly opaque?: string
  /** It adds arguments that only the running program knows. */
  readonly adds?: boolean
}

const row = (
  name: string,
  kind: WrapperKind,
  reason: string,
  more: Omit<WrapperRow, "name" | "kind" | "reason"> = {},
): WrapperRow => ({ name, kind, reason, ...more })

export const wrapperRows: readonly WrapperRow[] = [
  row("env", "same", "runs the command with changed variables", {
    ...{ flags: "i0v", valued: "uC", long: "ignore-environment null debug", longValued: "unset chdir" },
    ...{ assignments: true, opaque: "S" },
  }),
  row("command", "same", "runs the command and no function of that name", { flags: "p" }),
  row("builtin", "same", "runs the shell's own command"),
  row("exec", "same", "puts the command in the shell's place", { flags: "cl", valued: "a" }),
  row("nohup", "same", "runs the command without the terminal"),
  row("nice", "same", "runs the command with another priority", {
    ...{ valued: "n", longValued: "adjustment", numeric: true },
  }),
  row("ionice", "same", "runs the command with another priority", {
    ...{ flags: "t", valued: "cn", long: "ignore", longValued: "class classdata", opaque: "pPu" },
  }),
  row("chrt", "same", "runs the command with another priority", {
    ...{ flags: "abdfiormvR", valued: "TPD", operands: 1, opaque: "p" },
  }),
  row("taskset", "same", "runs the command on certain processors", {
    ...{ flags: "ac", long: "all-tasks cpu-list", operands: 1, opaque: "p" },
  }),
  row("numactl", "same", "runs the command on certain processors", { valued: "NCmip", flags: "la" }),
  row("time", "same", "measures the command", {
    flags: "pvq",
    valued: "f",
    long: "portability verbose quiet",
    opaque: "oa",
  }),
  row("gtime", "same", "measures the command", { flags: "pvq", valued: "f", opaque: "oa" }),
  row("timeout", "same", "stops the command after a time", {
    ...{ flags: "v", valued: "ks", long: "preserve-status foreground verbose", longValued: "kill-after signal" },
    operands: 1,
  }),
  row("gtimeout", "same", "stops the command after a time", {
    ...{ flags: "v", valued: "ks", long: "preserve-status foreground verbose", longValued: "kill-after signal" },
    operands: 1,
  }),
  row("stdbuf", "same", "runs the command with other buffers", { valued: "ioe", longValued: "input output error" }),
  row("unbuffer", "same", "runs the command with other buffers", { flags: "p" }),
  row("setsid", "same", "runs the command in its own session", { flags: "cfw", long: "ctty fork wait" }),
  row("setarch", "same", "runs the command as on another machine", { flags: "RB", operands: 1 }),
  row("linux32", "same", "runs the command as on another machine"),
  row("linux64", "same", "runs the command as on another machine"),
  row("prlimit", "same", "runs the command with other limits", { opaque: "p" }),
  row("choom", "same", "runs the command with another weight", { valued: "n", opaque: "p" }),
  row("caffeinate", "same", "keeps the machine awake while the command runs", { flags: "dimsu", valued: "tw" }),
  row("flock", "elevated", "makes a file, and runs the command while it holds it", {
    ...{ flags: "esxnuoFv", valued: "wE", long: "shared exclusive nonblock close", longValued: "timeout" },
    ...{ operands: 1, opaque: "c" },
  }),
  row("busybox", "same", "is many programs by their names"),
  row("toybox", "same", "is many programs by their names"),
  row("xvfb-run", "same", "runs the command with a display of its own", { flags: "al", valued: "enfpsw" }),
  row("dbus-run-session", "same", "runs the command with a bus of its own"),
  row("winpty", "same", "runs the command with a terminal of its own"),
  row("strace", "same", "watches the command", { flags: "cCfFhikqrtTvxyz", valued: "aeEIOPsSu", opaque: "oD" }),
  row("ltrace", "same", "watches the command", { flags: "cCfiLrStTV", valued: "aAeFlnsuwx", opaque: "o" }),
  row("valgrind", "same", "watches the command"),
  row("hyperfine", "same", "measures texts that are commands", { opaque: "*" }),

  row("sudo", "elevated", "runs the command as another user", {
    ...{ flags: "AbEHknPSB", valued: "CghpRrTtuUD", assignments: true, opaque: "eils" },
    long: "preserve-env non-interactive set-home reset-timestamp background askpass stdin bell",
    longValued: "user group host prompt chdir chroot close-from type role command-timeout",
  }),
  row("doas", "elevated", "runs the command as another user", { flags: "n", valued: "auC", opaque: "sL" }),
  row("su", "elevated", "runs the command as another user", { opaque: "*" }),
  row("runuser", "elevated", "runs the command as another user", { valued: "ugG", opaque: "lcs" }),
  row("pkexec", "elevated", "runs the command as another user", { longValued: "user" }),
  row("gosu", "elevated", "runs the command as another user", { operands: 1 }),
  row("su-exec", "elevated", "runs the command as another user", { operands: 1 }),
  row("setpriv", "elevated", "runs the command with other rights", { opaque: "*" }),
  row("capsh", "elevated", "runs the command with other rights", { opaque: "*" }),
  row("chroot", "elevated", "runs the command below another root", {
    ...{ longValued: "userspec groups", long: "skip-chdir", operands: 1 },
  }),
  row("fakeroot", "elevated", "runs the command as if it were root", { flags: "uh", valued: "lsib" }),
  row("unshare", "elevated", "runs the command in a system of its own", { opaque: "*" }),
  row("nsenter", "elevated", "runs the command in another system", { opaque: "*" }),
  row("bwrap", "elevated", "runs the command in a system of its own", { opaque: "*" }),
  row("firejail", "elevated", "runs the command in a system of its own", { opaque: "*" }),
  row("systemd-run", "elevated", "runs the command outside this process", { opaque: "*" }),
  row("sandbox-exec", "elevated", "runs the command in a system of its own", { opaque: "*" }),
  row("proot", "elevated", "runs the command below another root", { opaque: "*" }),

  row("uv", "runner", "runs a program of the project", {
    ...{ words: ["run"], flags: "qvn", valued: "p", long: "frozen locked isolated no-sync no-project no-dev quiet" },
    longValued: "with extra group python env-file package project directory with-requirements with-editable",
    opaque: "m",
  }),
  row("poetry", "runner", "runs a program of the project", { words: ["run"], flags: "qvn" }),
  row("pipenv", "runner", "runs a program of the project", { words: ["run"] }),
  row("pdm", "runner", "runs a program of the project", { words: ["run"], flags: "sv" }),
  row("rye", "runner", "runs a program of the project", { words: ["run"] }),
  row("hatch", "runner", "runs a program of the project", { words: ["run"] }),
  row("pixi", "runner", "runs a program of the project", { words: ["run"] }),
  row("conda", "runner", "runs a program of an environment", {
    ...{ words: ["run"], valued: "np", flags: "v", long: "no-capture-output live-stream" },
  }),
  row("mamba", "runner", "runs a program of an environment", { words: ["run"], valued: "np", flags: "v" }),
  row("micromamba", "runner", "runs a program of an environment", { words: ["run"], valued: "np", flags: "v" }),
  row("bundle", "runner", "runs a program of the project", { words: ["exec"], long: "keep-file-descriptors" }),
  row("rbenv", "runner", "runs a program of the project", { words: ["exec"] }),
  row("pyenv", "runner", "runs a program of the project", { words: ["exec"] }),
  row("nodenv", "runner", "runs a program of the project", { words: ["exec"] }),
  row("mise", "runner", "runs a program of the project", { words: ["exec", "--"] }),
  row("mise", "runner", "runs a program of the project", { words: ["x", "--"] }),
  row("asdf", "runner", "runs a program of the project", { words: ["exec"] }),
  row("direnv", "runner", "runs a program with a directory's variables", { words: ["exec"], operands: 1 }),
  row("dotenv", "runner", "runs a program with a file's variables", { valued: "efpvc", opaque: "s" }),
  row("dotenvx", "runner", "runs a program with a file's variables", { words: ["run"], valued: "f", flags: "q" }),
  row("cross-env", "runner", "runs a program with changed variables", { assignments: true }),
  row("cross-env-shell", "runner", "runs a text as commands", { opaque: "*" }),
  row("npx", "runner", "fetches a program when it has to, and runs it", {
    ...{ flags: "yq", valued: "p", long: "yes no no-install quiet ignore-existing", longValued: "package" },
    opaque: "c",
  }),
  row("bunx", "runner", "fetches a program when it has to, and runs it", { long: "bun", flags: "y" }),
  row("pnpx", "runner", "fetches a program when it has to, and runs it", { flags: "y" }),
  row("pnpm", "runner", "runs a program of the project", { words: ["exec"], flags: "rc", long: "recursive" }),
  row("pnpm", "runner", "fetches a program and runs it", { words: ["dlx"], longValued: "package" }),
  row("npm", "runner", "runs a program of the project", {
    ...{ words: ["exec"], long: "yes no workspaces", longValued: "package workspace", opaque: "c" },
  }),
  row("npm", "runner", "fetches a program when it has to, and runs it", { words: ["x"], long: "yes no", opaque: "c" }),
  row("yarn", "runner", "runs a program of the project", { words: ["exec"] }),
  row("yarn", "runner", "fetches a program and runs it", { words: ["dlx"], valued: "p", flags: "q" }),
  row("bun", "runner", "fetches a program when it has to, and runs it", { words: ["x"], long: "bun" }),
  row("bun", "elsewhere", "runs a script of the project, or a program of that name", {
    ...{ words: ["run"], long: "bun silent if-present watch hot", longValued: "filter cwd env-file config" },
  }),
  row("uvx", "runner", "fetches a program when it has to, and runs it", { longValued: "from with python" }),
  row("pipx", "runner", "fetches a program and runs it", { words: ["run"], longValued: "spec python" }),
  row("rustup", "runner", "runs a program of a toolchain", { words: ["run"], operands: 1 }),
  row("nix", "runner", "runs a program of a package", { words: ["run"], opaque: "c" }),
  row("watch", "runner", "runs the command again and again", {
    ...{ flags: "bcdegtxrw", valued: "nq", long: "exec color differences no-title", longValued: "interval" },
  }),
  row("script", "runner", "keeps what the command writes", { opaque: "*" }),
  row("entr", "runner", "runs the command when files change", { flags: "acdnprsz", adds: true }),
  row("rlwrap", "runner", "runs the command with a line editor"),
  row("catchsegv", "runner", "runs the command and reports its crash"),
  row("coverage", "runner", "runs a program and measures it", {
    words: ["run"],
    flags: "pa",
    opaque: "m",
  }),
  row("scalene", "runner", "runs a program and measures it"),
  row("tsx", "runner", "runs a script", { words: ["watch"] }),

  ...["docker", "podman", "nerdctl"].flatMap((name) => [
    row(name, "elsewhere", "runs the command in a container", {
      ...{ words: ["exec"], flags: "itd", valued: "ewu", longValued: "env env-file user workdir", operands: 1 },
      long: "interactive tty detach privileged",
    }),
    row(name, "elsewhere", "runs the command in a container", {
      ...{ words: ["compose", "exec"], flags: "dT", valued: "ewu", longValued: "env index user workdir", operands: 1 },
    }),
    row(name, "elsewhere", "runs the command in a container", {
      ...{ words: ["compose", "run"], flags: "dPTi", valued: "eupvlw", longValued: "env name user workdir entrypoint" },
      ...{ long: "rm build no-deps service-ports quiet-pull", operands: 1 },
    }),
  ]),
  row("docker-compose", "elsewhere", "runs the command in a container", {
    ...{ words: ["exec"], flags: "dT", valued: "ewu", operands: 1 },
  }),
  row("kubectl", "elsewhere", "runs the command in a container", {
    ...{ words: ["exec"], flags: "itq", valued: "ncf", longValued: "namespace container context", operands: 1 },
    long: "stdin tty quiet",
  }),
  row("heroku", "elsewhere", "runs the command on another machine", { words: ["run"], valued: "ar" }),
  row("fly", "elsewhere", "runs the command on another machine", { words: ["ssh", "console"], opaque: "*" }),
  row("vagrant", "elsewhere", "runs the command on another machine", { words: ["ssh"], opaque: "*" }),
  row("adb", "elsewhere", "runs the command on another machine", { words: ["shell"] }),
  row("lxc", "elsewhere", "runs the command in a container", { words: ["exec"], operands: 1 }),
]

const byName = Map.groupBy(wrapperRows, (one) => one.name)

/** The row for a command, of several the one whose words are there, and how many arguments stand up to the last of these. */
export function wrapperOf(
  name: string,
  args: readonly string[],
): { readonly row: WrapperRow; readonly from: number } | undefined {
  for (const row of byName.get(name) ?? []) {
    const from = behind(row.words ?? [], args)
    if (from !== undefined) return { row, from }
  }
  return undefined
}

/** Where the words end in `args`, with options in front of each, and what these may take. */
function behind(words: readonly string[], args: readonly string[]): number | undefined {
  let at = 0
  for (const word of words) {
    for (; ; at++) {
      const text = args[at]
      if (text === undefined) return undefined
      if (text === word) break
      const taken = at > 0 && /^-[^=]*$/.test(args[at - 1]!)
      if (!text.startsWith("-") && !taken) return undefined
    }
    at++
  }
  return at
}
