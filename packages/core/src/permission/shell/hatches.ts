import { gitHatches } from "./git-hatches.ts"
import type { Hatch } from "./hatch.ts"
import { sedOpens, sedScripts } from "./sed-script.ts"

/** Options before the first operand. A word behind an option that may take it is none. */
const leading = (args: readonly string[]) => {
  const end = args.findIndex(
    (arg, index) => arg === "-" || (!arg.startsWith("-") && !takesNext.test(index > 0 ? args[index - 1]! : "")),
  )
  return end < 0 ? args : args.slice(0, end + (args[end] === "-" ? 1 : 0))
}
/** Of interpreters: the options that take a value in one of them. */
const takesNext =
  /^-(?!-)\w*[WXQIrCKFdzPJptLO]$|^--(?:check-hash-based-pycs|conditions|title|input-type|env-file(?:-if-exists)?|icu-data-dir|disable-warning|diagnostic-dir|redirect-warnings|test-[\w-]+|watch-[\w-]+|experimental-default-type|openssl-config|max-http-header-size|trace-event-[\w-]+|unhandled-rejections|dns-result-order|inspect-port|localstorage-file|secure-heap(?:-min)?|report-[\w-]+|network-[\w-]+|(?:cpu|heap)-prof-[\w-]+|tls-[\w-]+|use-largepages|allow-fs-\w+|cwd|config|port|define|loader|tsconfig-override|filter|main-fields|extension-order|install|(?:external-|internal-)?encoding|enable|disable|project|sysimage)$/

/** Long options, also by a beginning of them, as GNU programs and git take it. */
const starts =
  (...flags: string[]) =>
  (args: readonly string[]) =>
    args.some((arg) => {
      const [name = ""] = arg.split("=", 1)
      return name.length > 2 && flags.some((flag) => flag.startsWith(name))
    })
const some = (pattern: RegExp) => (args: readonly string[]) => args.some((arg) => pattern.test(arg))
const any =
  (...tests: ((args: readonly string[]) => boolean)[]) =>
  (args: readonly string[]) =>
    tests.some((one) => one(args))
/** A subcommand, wherever options stand. */
const asks =
  (...words: string[]) =>
  (args: readonly string[]) => {
    const plain = args.filter((arg) => !arg.startsWith("-"))
    return words.every((word, index) => plain[index] === word)
  }

/** The module that python runs. */
function moduleOf(args: readonly string[]): string | undefined {
  const at = leading(args).findIndex((arg) => /^-(?!-)\w*m/.test(arg))
  return at < 0 ? undefined : args[at]!.replace(/^-\w*?m/, "") || args[at + 1]
}
const textModule =
  /^(?:timeit|code|pdb|cProfile|profile|trace|runpy|zipapp|idlelib(?:\..*)?|asyncio|sqlite3|bdb|_sitebuiltins)$/

const row = (
  names: string,
  reason: string,
  example: string,
  opens: (args: readonly string[]) => boolean = () => true,
): Hatch => ({ commands: names.split(" "), reason, opens, example })

const interpreters =
  "python python2 python3 pypy pypy3 node nodejs bun deno tsx ts-node ruby perl php lua luajit Rscript rscript tclsh wish julia ghci irb elixir iex scala groovy jshell guile racket clojure clj swipl octave R sbcl"
const text = "the interpreter runs a text or its input"

export const hatches: readonly Hatch[] = [
  row(interpreters, text, "python", (args) => args.length === 0),
  row(
    interpreters,
    text,
    "python -",
    (args) => leading(args).includes("-") || args.some((arg) => /^\/dev\/(?:stdin|fd\/)|^\/proc\/self\//.test(arg)),
  ),
  row("python python2 python3 pypy pypy3", text, "python -c x", (args) =>
    leading(args).some((arg) => /^-(?!-)\w*c/.test(arg)),
  ),
  row("python python2 python3 pypy pypy3", text, "python -i x.py", (args) =>
    leading(args).some((arg) => /^-(?!-)\w*i/.test(arg)),
  ),
  row("python python2 python3 pypy pypy3", "the module runs a text", "python -m timeit x", (args) =>
    textModule.test(moduleOf(args) ?? ""),
  ),
  row("node nodejs tsx ts-node", text, "node -e x", (args) =>
    leading(args).some((arg) =>
      /^-(?!-)\w*[epri]|^--(?:eval|print|require|import|loader|experimental-loader|interactive|test-reporter|build-sea)/.test(
        arg,
      ),
    ),
  ),
  row(
    "bun",
    text,
    "bun -e x",
    (args) =>
      args[0] === "repl" ||
      args[0] === "exec" ||
      leading(args).some((arg) => /^-(?!-)\w*[epri]|^--(?:eval|print|require|import|preload)/.test(arg)),
  ),
  row(
    "deno",
    text,
    "deno eval x",
    (args) => ["eval", "repl"].includes(args[0] ?? "") || args.some((arg) => /^https?:/.test(arg)),
  ),
  row("ruby irb", text, "ruby -e x", (args) =>
    leading(args).some((arg) => /^-(?!-)\w*[eErS]|^--(?:require|eval)/.test(arg)),
  ),
  row("perl", text, "perl -e x", (args) => leading(args).some((arg) => /^-(?!-)\w*[eEMdS]/.test(arg))),
  row("php", text, "php -r x", (args) =>
    leading(args).some((arg) => /^-(?!-)\w*[rRBEFad]|^--(?:run|process-)/.test(arg)),
  ),
  row("lua luajit", text, "lua -e x", (args) => leading(args).some((arg) => /^-\w*[eli]/.test(arg))),
  row(
    "Rscript rscript R julia octave elixir iex scala groovy guile racket clojure clj swipl sbcl tclsh wish ghci",
    text,
    "Rscript -e x",
    (args) => leading(args).some((arg) => /^-(?!-)\w*[eEgx]|^--(?:eval|rpc-eval|execute|load)/.test(arg)),
  ),
  ...gitHatches,
  row("find gfind", "find deletes, or writes files", "find . -delete", some(/^-(?:delete|fprint0?|fprintf|fls)$/)),
  row("fd fdfind", "fd runs a command", "fd x -x rm", some(/^-(?!-)\w*[xX]|^--exec/)),
  row(
    "awk gawk mawk nawk",
    "the awk program can run commands or write files",
    "awk '{system(\"x\")}' f",
    some(/system|getline|[|>]|^@|@\w+\(|ARGV|ARGC|^-[filE]|^--(?:file|include|load|exec)/),
  ),
  row("sed gsed", "the sed script comes from a file", "sed -f x y", some(/^-(?!-)\w*f|^--f/)),
  row("sed gsed", "the sed script can run commands, or read and write other files", "sed '1e x' f", (args) =>
    sedScripts(args).some(sedOpens),
  ),
  row(
    "tar bsdtar gtar",
    "tar can be told to run a program",
    "tar -I x -cf y z",
    (args) => args.some((arg) => /^-(?!-)\w*[IF]/.test(arg)) || /^[A-Za-z]*[IF]/.test(args[0] ?? ""),
  ),
  row(
    "tar bsdtar gtar",
    "the names come from a file",
    "tar -cf x -T y",
    (args) =>
      args.some((arg) => /^-(?!-)\w*T/.test(arg)) || /^[A-Za-z]*T/.test(args[0] ?? "") || starts("--files-from")(args),
  ),
  row("zip", "the names come from its input", "zip x.zip -@", some(/^-(?!-)\w*@|^--names-stdin/)),
  row("wc sort du gwc gsort", "the names come from a file", "wc --files0-from=x", starts("--files0-from")),
  row(
    "tar bsdtar gtar",
    "tar can be told to run a program",
    "tar --checkpoint-action=exec=x -cf y z",
    starts(
      "--checkpoint-action",
      "--to-command",
      "--use-compress-program",
      "--info-script",
      "--new-volume-script",
      "--rsh-command",
      "--rmt-command",
    ),
  ),
  row("cpio", "cpio can be told to run a program", "cpio --rsh-command=x -o", starts("--rsh-command", "--rmt-command")),
  row("cpio", "the names come from its input", "cpio -o", some(/^-(?!-)\w*[op]|^--(?:create|pass)/)),
  row("zip", "zip can be told to run a program", "zip -T -TT x y.zip z", some(/^-TT|^--unzip-command/)),
  row("7z 7za 7zz", "the archive's names come from its input", "7z x -si", some(/^-s[io]/)),
  row("rg", "rg runs a filter", "rg --pre x y", starts("--pre", "--hostname-bin")),
  row("sort gsort", "sort runs a compressor", "sort --compress-program=x f", starts("--compress-program")),
  row("split gsplit csplit", "split runs a filter", "split --filter=x f", starts("--filter")),
  row("env", "the text becomes a command", "env -S 'x y'", some(/^-(?!-)\w*S|^--split/)),
  row(
    "npm pnpm yarn npx bunx",
    "the script's shell is replaced",
    "npm test --script-shell=x",
    starts("--script-shell", "--node-options", "--shell"),
  ),
  row(
    "npm pnpm",
    "the setting names what npm runs",
    "npm config set script-shell x",
    (args) =>
      (asks("config", "set")(args) || asks("c", "set")(args) || asks("set")(args)) &&
      args.some((arg) =>
        /shell|editor|viewer|browser|git|gyp|node-options|prefix|globalconfig|userconfig|ignore-scripts|registry/.test(
          arg,
        ),
      ),
  ),
  row(
    "npm pnpm",
    "the setting names what npm runs",
    "npm pkg set scripts.x=y",
    (args) => asks("pkg", "set")(args) || asks("set-script")(args),
  ),
  row("npm", "npm runs a command in a package's directory", "npm explore x -- y", asks("explore")),
  row("npm", "npm opens an editor", "npm edit x", asks("edit")),
  row("yarn", "the setting names what yarn runs", "yarn config set yarnPath x", asks("config", "set")),
  row("man less more most pg w3m lynx links elinks info", "a pager can run commands", "less x"),
  row(
    "vi vim nvim view gvim vimdiff emacs emacsclient ed ex red nano pico micro hx helix joe mcedit kak code subl",
    "an editor can run commands",
    "vim x",
  ),
  row("bat batcat delta", "the pager is replaced", "bat --pager=x y", starts("--pager", "--paging")),
  row(
    "docker podman nerdctl",
    "a container can reach the whole disk",
    "docker run -v /:/x alpine",
    some(/^(?:-v|--volume|--mount|--privileged|--device|--pid=host|--cap-add|--security-opt|--userns=host|--ipc=host)/),
  ),
  row(
    "docker podman nerdctl",
    "another machine is told",
    "docker -H tcp://x ps",
    (args) =>
      leading(args).some((arg) => /^-H|^--(?:host|context|config|tls)/.test(arg)) || asks("context", "use")(args),
  ),
  row("docker podman", "a plugin runs", "docker plugin install x", asks("plugin")),
  row(
    "kubectl oc",
    "a program of the settings or a plugin runs",
    "kubectl config set-credentials x",
    any(asks("config", "set-credentials"), asks("config", "set"), asks("plugin"), starts("--kubeconfig"), asks("krew")),
  ),
  row("kubectl oc", "an editor runs", "kubectl edit pod x", asks("edit")),
  row(
    "helm",
    "helm runs a program",
    "helm install x y --post-renderer z",
    any(starts("--post-renderer", "--kubeconfig", "--plugins-directory"), asks("plugin")),
  ),
  row(
    "make gmake",
    "make takes a text as its rules",
    "make --eval=x",
    some(
      /\$|^-(?!-)[a-zA-Z]*E|^--eval|^[\w.]+!=|^(?:SHELL|MAKEFLAGS|RM|MAKE|\.SHELLFLAGS)[:+?]?=|^(?:CC|CXX|LD|AR)[:+?]?=(?!(?:gcc|g\+\+|clang|clang\+\+|cc|ld|ar)(?:-\d+)?$)/,
    ),
  ),
  row("make gmake ninja cmake just task", "the rules come from its input", "make -f -", (args) =>
    args.some(
      (arg, index) =>
        /^-f-$|\/dev\/(?:stdin|fd)/.test(arg) ||
        (arg === "-" && /^-(?:f|-file|-makefile|-justfile)$/.test(args[index - 1] ?? "")),
    ),
  ),
  row(
    "just",
    "the shell is replaced",
    "just --shell x y",
    some(/^--(?:shell|shell-arg|shell-command|set|chooser|command)|^-c$/),
  ),
  row(
    "cmake",
    "cmake runs a command or a script",
    "cmake -E env x",
    some(/^-E$|^-P$|^-C$|_COMPILER|_LAUNCHER|_TOOLCHAIN_FILE|_EXECUTABLE/),
  ),
  row("ninja", "ninja runs a tool", "ninja -t x", some(/^-t/)),
  row("cargo", "a text runs as commands", "cargo watch -s x", asks("watch")),
  row("lerna nx turbo", "it runs a command", "lerna exec x", any(asks("exec"), asks("run-commands"))),
  row("gio", "it opens a program of the desktop", "gio open x", any(asks("open"), asks("launch"))),
  row("ssh-keygen ssh-add", "it loads a library", "ssh-keygen -D x", some(/^-(?!-)\w*[DwsS]/)),
  row(
    "file",
    "the names come from a file",
    "file -f x",
    any(some(/^-(?!-)\w*[fm]/), starts("--files-from", "--magic-file")),
  ),
  row("cargo", "the settings name what cargo runs", "cargo build --config x", some(/^--config/)),
  row(
    "cargo",
    "a plugin of cargo runs",
    "cargo install --git x",
    (args) => asks("install")(args) && args.some((arg) => /^--(?:git|index|registry)/.test(arg)),
  ),
  row("rustc", "the compiler runs a linker", "rustc -C linker=x y", some(/linker|-Z|^@/)),
  row(
    "gcc g++ cc c++ clang clang++",
    "the compiler runs a program or loads a plugin",
    "gcc -wrapper x y",
    some(/^-wrapper|^-fplugin|^-B|^-specs|^@|^-fuse-ld=\/|^-load|^-Xclang|^--ld-path/),
  ),
  row("ld ar", "the linker loads a plugin", "ld -plugin x", some(/^--?plugin/)),
  row(
    "go",
    "go runs a program in the place of a tool",
    "go build -toolexec x ./...",
    some(/^--?(?:toolexec|exec|vettool|overlay)(?:=|$)|extld|linkmode/),
  ),
  row(
    "go",
    "the setting names what go runs",
    "go env -w GOFLAGS=x",
    (args) => args[0] === "env" && args.some((arg) => arg === "-w"),
  ),
  row("mvn mvnd ./mvnw", "maven runs a program", "mvn exec:exec", some(/^exec:|^-D(?:exec|maven\.ext|jvm)/)),
  row(
    "gradle gradlew",
    "gradle runs a script",
    "gradle -I x",
    some(/^-I|^--init-script|^-D?org\.gradle\.(?:java|jvm)|^-Dorg\.gradle\.(?:java|jvm)/),
  ),
  row("java", "java loads an agent", "java -javaagent:x y", some(/^-javaagent|^-agent|^-XX:On|^@/)),
  row("composer", "composer runs a command", "composer exec x", any(asks("exec"), asks("global"), asks("config"))),
  row("terraform tofu", "terraform evaluates a text", "terraform console", any(asks("console"), some(/^-plugin-dir/))),
  row(
    "gh",
    "gh runs what its settings name",
    "gh alias set x '!y'",
    any(asks("alias"), asks("extension"), asks("config", "set"), asks("codespace"), asks("ext")),
  ),
  row(
    "aws",
    "the setting names what aws runs",
    "aws configure set credential_process x",
    any(
      (args) => asks("configure", "set")(args) && args.some((arg) => /credential_process|ca_bundle|endpoint/.test(arg)),
      asks("ssm", "start-session"),
      asks("ecs", "execute-command"),
    ),
  ),
  row(
    "gcloud",
    "gcloud opens a shell elsewhere",
    "gcloud compute ssh x",
    any(asks("compute", "ssh"), asks("cloud-shell")),
  ),
  row(
    "az",
    "az runs a command elsewhere",
    "az vm run-command invoke x",
    any(asks("vm", "run-command"), asks("ssh"), asks("extension")),
  ),
  row(
    "systemctl",
    "systemctl opens an editor, or reaches another machine",
    "systemctl edit x",
    any(
      asks("edit"),
      some(/^-H|^--host|^-M|^--machine|^--root|^--image/),
      asks("link"),
      asks("set-environment"),
      asks("import-environment"),
    ),
  ),
  row(
    "apt apt-get aptitude dpkg",
    "the setting names what apt runs",
    "apt -o APT::x=y install z",
    some(/^-o|^--option|^-c|^--config-file|^--(?:pre|post)-invoke/),
  ),
  row(
    "dpkg rpm dnf yum zypper",
    "a package of one's own runs its scripts",
    "dpkg -i x.deb",
    some(/^-i$|^--install$|^-U|^-i\w|^localinstall$|\.(?:deb|rpm)$/),
  ),
  row(
    "brew",
    "brew runs a text or a program of another place",
    "brew sh",
    any(asks("sh"), asks("ruby"), asks("irb"), asks("tap"), asks("edit"), some(/^https?:/)),
  ),
  row("curl", "curl takes its options from a file", "curl -K x", some(/^-(?!-)\w*K|^--config/)),
  row(
    "curl",
    "curl loads a library, or talks to a socket",
    "curl --unix-socket x http://y",
    some(
      /^--(?:engine|unix-socket|abstract-unix-socket|netrc-file|libcurl|trace|stderr|dump-header|cookie-jar|etag-save|hsts|alt-svc)/,
    ),
  ),
  row(
    "wget",
    "wget runs a program or takes settings from its arguments",
    "wget -e x=y http://z",
    some(/^-(?!-)\w*e|^--(?:execute|use-askpass|config|post-file|body-file|load-cookies|warc)/),
  ),
  row(
    "rsync",
    "rsync runs a shell, or reaches another machine",
    "rsync -e x a b",
    some(/^-(?!-)\w*[eM]|^--(?:rsh|rsync-path|files-from|daemon|config|remote-option)|^[\w.@-]+:/),
  ),
  row("patch", "the patch says what is changed", "patch -p1", (args) =>
    args.every((arg) => arg.startsWith("-") || /^\d+$/.test(arg)),
  ),
  row("sqlite3 sqlite duckdb", "the database's shell takes commands from its input", "sqlite3 x.db", (args) => {
    const plain = args.filter(
      (arg, index) =>
        !arg.startsWith("-") && !/^-(?:separator|newline|nullvalue|cmd|init)$/.test(args[index - 1] ?? ""),
    )
    return plain.length < 2 && !args.some((arg) => /^--?(?:version|help|c|f|s|csv-file)$/.test(arg))
  }),
  row(
    "psql",
    "the database's shell takes commands from its input",
    "psql x",
    (args) => !args.some((arg) => /^-(?!-)\w*[cflV?]|^--(?:command|file|list|version|help)/.test(arg)),
  ),
  row(
    "mysql mariadb",
    "the database's shell takes commands from its input",
    "mysql x",
    (args) => !args.some((arg) => /^-(?!-)\w*[eV?]|^--(?:execute|version|help)/.test(arg)),
  ),
  row(
    "mongo mongosh",
    "the database's shell takes commands from its input",
    "mongosh x",
    (args) => !args.some((arg) => /^--(?:eval|file|version|help)|\.js$/.test(arg)),
  ),
  row(
    "dc ftp tftp m4 gnuplot",
    "it takes commands from its input or a file, and can run programs",
    "dc x",
    (args) => !args.every((arg) => /^--?(?:version|help|V|h|v)$/.test(arg)) || args.length === 0,
  ),
  row(
    "sqlite3 sqlite",
    "the database's shell runs commands and writes files",
    "sqlite3 x '.shell y'",
    some(
      /^\s*\.(?!(?:schema|tables|ind(?:exe|ice)s|databases|dump|headers|mode|show|help)\b[^|]*$)|[;\n]\s*\.|^-(?:cmd|init)|writefile|readfile|load_extension|edit\(/,
    ),
  ),
  row(
    "psql",
    "the database's shell runs commands and writes files",
    "psql -c '\\! x'",
    some(/\\|\bprogram\b|^-o|^--output|^-L|^--log/i),
  ),
  row(
    "mysql mariadb",
    "the database's shell runs commands and writes files",
    "mysql -e 'system x'",
    some(/\bsystem\b|\\!|\bsource\b|outfile|dumpfile|^--(?:init-command|tee|pager)|load_file/i),
  ),
  row("mongo mongosh", "the database's shell runs a text", "mongosh --eval x", some(/^--eval/)),
  row(
    "redis-cli",
    "the database runs a text",
    "redis-cli eval x 0",
    any(some(/^(?:eval|evalsha|script|module|debug|slaveof|replicaof|--eval)$/i), (args) =>
      args.some((arg, index) => /^config$/i.test(arg) && /^set$/i.test(args[index + 1] ?? "")),
    ),
  ),
  row(
    "duckdb",
    "the database's shell runs commands and writes files",
    "duckdb x '.shell y'",
    some(/^\s*\.|copy\s.*\bto\b|^-(?:cmd|init)|install\s|load\s/i),
  ),
  row(
    "openssl",
    "openssl loads a library",
    "openssl engine -t x",
    any(asks("engine"), some(/^-(?:engine|provider|provider-path|writerand)/)),
  ),
  row(
    "gpg gpg2",
    "gpg runs a program or takes settings from a file",
    "gpg --exec-path x",
    some(/^--(?:exec-path|options|photo-viewer|agent-program|dirmngr-program|pinentry-program|keyserver)/),
  ),
  row(
    "ffmpeg",
    "ffmpeg takes a text as its filters and files",
    "ffmpeg -i concat:x y",
    some(/^(?:concat|subfile|pipe|data|tcp|udp):|^-(?:filter_script|filter_complex_script|init_hw)/),
  ),
  row(
    "pandoc",
    "pandoc runs a filter",
    "pandoc --filter=x y",
    some(/^-(?!-)\w*[FLd]|^--(?:filter|lua-filter|pdf-engine|defaults|extract-media)/),
  ),
  row(
    "latexmk pdflatex xelatex lualatex tex",
    "the text can run commands",
    "pdflatex -shell-escape x",
    some(/shell-escape|write18|^-e$|^-r$/),
  ),
  row(
    "convert magick mogrify",
    "the picture's name can run a program",
    "convert '|x' y",
    some(/^[|@]|^(?:msl|ephemeral|mvg|label|caption|text|url|https?|ftp):/i),
  ),
  row("hg", "the setting names what hg runs", "hg --config alias.x=!y x", some(/^--config|^--debugger|^--cwd/)),
  row(
    "svn",
    "the setting names what svn runs",
    "svn --config-option x y",
    some(/^--config|^--diff-cmd|^--diff3-cmd|^--editor-cmd/),
  ),
  row("nodemon", "nodemon runs a text as commands", "nodemon --exec x", some(/^-x|^--exec/)),
  row("ts-node-dev tsc-watch", "a text runs as commands", "tsc-watch --onSuccess x", some(/^--on/i)),
  row(
    "mocha ava tap",
    "the test runner loads what it is told",
    "mocha -r x",
    some(/^-r$|^--(?:require|import|loader)/),
  ),
  row(
    "eslint prettier stylelint",
    "the checker loads what it is told",
    "eslint --rulesdir x",
    some(/^--(?:rulesdir|resolve-plugins|plugin|parser=|parser$|format=.*\/|config-loader)/),
  ),
  row("pre-commit", "the hooks run", "pre-commit try-repo x", any(asks("try-repo"), asks("install"))),
  row("jobs", "it runs a command", "jobs -x x", some(/^-\w*x/)),
  row("history", "it reads or writes a file", "history -w x", some(/^-\w*[anrw]/)),
  row(
    "printf",
    "printf sets a variable that is calculated",
    "printf -v 'x[1]' y",
    (args) => args[0] === "-v" && !/^\w+$/.test(args[1] ?? ""),
  ),
  row(
    "nix",
    "nix evaluates a text or runs a program",
    "nix develop -c x",
    any(asks("develop"), asks("shell"), asks("eval"), asks("repl"), some(/^--(?:expr|command|impure|run)|^-c$/)),
  ),
  row("flatpak snap", "a package runs", "flatpak run x", any(asks("run"), asks("enter"))),
  row("nmap", "nmap runs a script", "nmap --script x y", some(/^--script|^-sC|^--datadir|^--interactive/)),
  row("systemd-cat logger wall write mail sendmail mutt", "it sends a text away", "mail x"),
  row("dircolors locale-gen ldconfig update-alternatives", "it changes what every program uses", "ldconfig"),
  row("insmod modprobe rmmod kexec", "the kernel loads it", "insmod x"),
  row("mount umount losetup swapon", "it changes what stands where on the disk", "mount x y"),
  row("useradd usermod userdel groupadd passwd chsh chpasswd visudo", "it changes who may do what", "chsh -s x"),
  row(
    "iptables nft ufw firewall-cmd ip ifconfig route",
    "it changes the network",
    "iptables -F",
    (args) => !args.some((arg) => /^(?:show|-L|-S|list|status|addr|a)$/.test(arg)) && args.length > 0,
  ),
]
