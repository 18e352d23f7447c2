/** A variable by which a command can be made to run something else. One line of reason each; the first that fits counts. */
export interface EnvironmentHatch {
  readonly name: RegExp
  readonly reason: string
  /** Values that do no harm. */
  readonly unless?: RegExp
  /** A setting that has to be asked for. */
  readonly example: string
}

const nobody = /^(?:|cat|true|:|false|less|more|vi|vim|nano|\/bin\/(?:cat|true)|\/usr\/bin\/(?:cat|true))$/
const starts = (reason: string, name: RegExp, example: string, unless?: RegExp): EnvironmentHatch => ({
  name,
  reason,
  example,
  ...(unless && { unless }),
})

export const environmentHatches: readonly EnvironmentHatch[] = [
  starts("it says where programs are found", /^PATH$/, "PATH=."),
  starts("it says where directories are found", /^CDPATH$/, "CDPATH=/etc"),
  starts("it changes how words are split", /^IFS$/, "IFS=x"),
  starts("it changes what patterns stand for", /^GLOBIGNORE$/, "GLOBIGNORE=x"),
  starts("the shell runs the file it names", /^(?:BASH_ENV|ENV|ZDOTDIR)$/, "BASH_ENV=./x"),
  starts(
    "the shell runs it as commands",
    /^(?:PROMPT_COMMAND|PS[0-4]|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|BASH_XTRACEFD)$/,
    "PROMPT_COMMAND=x",
  ),
  starts(
    "the shell finds other commands by it",
    /^(?:BASH_(?:ALIASES|CMDS|LOADABLES_PATH|ARGV0)|EXECIGNORE|HISTFILE|INPUTRC|histchars)$/,
    "BASH_CMDS=x",
  ),
  starts("programs load the library it names", /^(?:LD_|DYLD_)\w+$/, "LD_PRELOAD=./x.so"),
  starts(
    "programs load the library it names",
    /^(?:GCONV_PATH|LOCPATH|OPENSSL_CONF|OPENSSL_MODULES|GTK_MODULES|QT_PLUGIN_PATH)$/,
    "GCONV_PATH=.",
  ),
  starts("programs run it as their shell", /^SHELL$/, "SHELL=./x", /^\/(?:usr\/)?bin\/(?:ba|z|da)?sh$/),
  starts(
    "programs run it as their editor",
    /^(?:EDITOR|VISUAL|FCEDIT|SUDO_EDITOR|KUBE_EDITOR|TF_CLI_ARGS\w*)$/,
    "EDITOR=./x",
    nobody,
  ),
  starts(
    "programs run it as their pager",
    /^(?:PAGER|MANPAGER|MANROFFSEQ|BAT_PAGER|DELTA_PAGER|SYSTEMD_PAGER|AWS_PAGER|GH_PAGER|PSQL_PAGER)$/,
    "PAGER=./x",
    nobody,
  ),
  starts("the pager runs it", /^(?:LESSOPEN|LESSCLOSE|LESSEDIT)$/, "LESSOPEN='|./x %s'"),
  starts("the pager takes commands from it", /^LESS$/, "LESS=+!x", /^-?[a-zA-Z]*$/),
  starts("programs run it as their browser", /^(?:BROWSER|GH_BROWSER)$/, "BROWSER=./x", nobody),
  starts("git runs it", /^GIT_(?:PAGER|EDITOR|SEQUENCE_EDITOR)$/, "GIT_PAGER=./x", nobody),
  starts(
    "git runs it, or reads what it runs from it",
    /^GIT_(?:SSH\w*|ASKPASS|EXTERNAL_DIFF|DIFF_OPTS|PROXY_COMMAND|CONFIG\w*|EXEC_PATH|TEMPLATE_DIR|DIR|COMMON_DIR|WORK_TREE|ATTR_SOURCE|EXTERNAL\w*|MERGE_\w+|TRACE\w*|REDIRECT_\w+|ALLOW_PROTOCOL|PROTOCOL\w*|SHELL_PATH|OBJECT_DIRECTORY|INDEX_FILE)$/,
    "GIT_SSH_COMMAND=./x",
    /^[01]$/,
  ),
  starts(
    "ssh runs it",
    /^(?:SSH_ASKPASS|SSH_ASKPASS_REQUIRE|SSH_SK_PROVIDER|RSYNC_RSH|CVS_RSH|SVN_SSH|HGRCPATH|HG)$/,
    "RSYNC_RSH=./x",
  ),
  starts("programs ask it for a password", /^(?:SUDO_ASKPASS|\w+_ASKPASS)$/, "SUDO_ASKPASS=./x"),
  starts(
    "node runs what it names",
    /^NODE_OPTIONS$/,
    "NODE_OPTIONS=--require=./x",
    /^(?:(?:--(?:max-old-space-size|max-semi-space-size|unhandled-rejections|experimental-[\w-]+|no-[\w-]+|enable-source-maps|openssl-legacy-provider|trace-[\w-]+|stack-trace-limit|dns-result-order|inspect)(?:=[\w-]*)?)\s*)*$/,
  ),
  starts(
    "node and bun run what it names",
    /^(?:NODE_REPL_EXTERNAL_MODULE|BUN_OPTIONS|BUN_INSPECT_PRELOAD|DENO_\w*PRELOAD)$/,
    "BUN_OPTIONS=--preload=./x",
  ),
  starts(
    "npm runs what it sets",
    /^npm_config_(?:script_shell|shell|node_options|editor|viewer|git|node_gyp|globalconfig|userconfig|prefix)$/i,
    "npm_config_script_shell=./x",
  ),
  starts(
    "python runs what it names",
    /^PYTHON(?:STARTUP|HOME|BREAKPOINT|INSPECT|EXECUTABLE|PLATLIBDIR|USERBASE|WARNINGS)$/,
    "PYTHONSTARTUP=./x",
    /^(?:|0|1|ignore|error|default|always|once|module)$/,
  ),
  starts("perl runs what it names", /^PERL5?(?:OPT|DB|LIB|SHELL|5DB)?$/, "PERL5OPT=-Mx"),
  starts(
    "ruby runs what it names",
    /^(?:RUBYOPT|RUBYLIB|RUBYSHELL|BUNDLE_GEMFILE|IRBRC)$/,
    "RUBYOPT=-rx",
    /^(?:-W\S*|--yjit|--jit|)$/,
  ),
  starts(
    "java runs what it names",
    /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|JAVA_HOME|MAVEN_OPTS|MAVEN_ARGS|GRADLE_OPTS|JAVA_OPTS|SBT_OPTS|ANT_ARGS)$/,
    "JAVA_TOOL_OPTIONS=-javaagent:x",
    /^(?:-Xm[xsn]\w+\s*|-XX:MaxMetaspaceSize=\w+\s*|-Dfile\.encoding=[\w-]+\s*|-Djava\.awt\.headless=true\s*)*$/,
  ),
  starts(
    "make takes it as options or rules",
    /^(?:MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|MAKESHELL)$/,
    "MAKEFLAGS=--eval=x",
    /^-?[jksB]*\d*$/,
  ),
  starts(
    "the compiler runs it",
    /^(?:CC|CXX|CPP|LD|AR|AS|NM|RANLIB|HOSTCC|LINKER|CMAKE_\w*(?:COMPILER|LAUNCHER|TOOLCHAIN)\w*|GCC_EXEC_PREFIX|COMPILER_PATH)$/,
    "CC=./x",
    /^(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+|gcc-\d+|g\+\+-\d+|clang-\d+|clang\+\+-\d+|ld|ar|lld|mold)$/,
  ),
  starts(
    "cargo runs it",
    /^(?:RUSTC\w*|RUSTDOC|CARGO|CARGO_(?:BUILD_RUSTC\w*|TARGET_\w+_(?:RUNNER|LINKER)|HTTP_PROXY|HOME|NET_GIT\w*))$/,
    "RUSTC_WRAPPER=./x",
    /^sccache$/,
  ),
  starts(
    "cargo takes options of the compiler from it",
    /^(?:RUSTFLAGS|RUSTDOCFLAGS|CARGO_ENCODED_RUSTFLAGS|CARGO_BUILD_RUSTFLAGS)$/,
    "RUSTFLAGS=-Clinker=./x",
    /^(?:(?:-D ?warnings|-C ?target-cpu=[\w-]+|-C ?debuginfo=\d|-A ?\w+|-W ?\w+|--cfg \w+)\s*)*$/,
  ),
  starts(
    "go runs it",
    /^(?:GOFLAGS|GOROOT|GOTOOLDIR|GOENV|GOTOOLCHAIN|GOAUTH|GOPROXY|GO_EXTLINK\w*|CGO_\w*FLAGS\w*)$/,
    "GOFLAGS=-toolexec=./x",
    /^(?:-mod=\w+|-count=\d+|-race|-v|local|auto|off|direct)?$/,
  ),
  starts(
    "docker and kubectl reach another machine by it",
    /^(?:DOCKER_HOST|DOCKER_CONFIG|DOCKER_CONTEXT|CONTAINER_HOST|KUBECONFIG|BUILDKIT_HOST)$/,
    "DOCKER_HOST=tcp://x",
  ),
  starts(
    "the cloud tools run what it names",
    /^(?:AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|CLOUDSDK_PYTHON\w*|CLOUDSDK_CONFIG|AZURE_CONFIG_DIR|TF_CLI_CONFIG_FILE|GOOGLE_EXTERNAL_ACCOUNT\w*|HELM_PLUGINS|ANSIBLE_\w+)$/,
    "AWS_CONFIG_FILE=./x",
  ),
  starts(
    "programs find their settings below it",
    /^(?:HOME|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_DIRS|USERPROFILE|APPDATA)$/,
    "HOME=/tmp/x",
  ),
  starts("programs use it to reach the network", /^(?:\w+_proxy|\w+_PROXY)$/, "http_proxy=http://x", /^$/),
  starts("the terminal's descriptions are read from it", /^(?:TERMINFO|TERMINFO_DIRS|TERMCAP|TERMPATH)$/, "TERMINFO=."),
  starts(
    "the agent answers for it",
    /^(?:SSH_AUTH_SOCK|GPG_AGENT_INFO|GNUPGHOME|DBUS_\w+_ADDRESS)$/,
    "SSH_AUTH_SOCK=./x",
  ),
  starts(
    "tar, zip and their like take options from it",
    /^(?:TAR_OPTIONS|TAPE|ZIPOPT|ZIP|UNZIP|GZIP|XZ_OPT|XZ_DEFAULTS|BZIP2|GREP_OPTIONS|RIPGREP_CONFIG_PATH|FZF_DEFAULT_COMMAND|FZF_DEFAULT_OPTS|POSIXLY_CORRECT|CURL_HOME|WGETRC)$/,
    "TAR_OPTIONS=--to-command=x",
    /^-?\d?$/,
  ),
]

/** Why setting a variable is more than that. Undefined `value`: it is only known when it runs. */
export function environmentHatch(name: string, value: string | undefined): string | undefined {
  const row = environmentHatches.find((one) => one.name.test(name))
  return row && !(value !== undefined && row.unless?.test(value)) ? row.reason : undefined
}
