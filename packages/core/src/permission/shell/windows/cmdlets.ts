import type { PathWord, Roles, WriteWord } from "../roles.ts"
import { hasHole, type Word, wordOf } from "../syntax.ts"

/** What a cmdlet does with the paths among its words. */
type Kind =
  /** Looks at names only, or at no file. */
  | "looks"
  | "reads"
  /** Puts its input or its text into them. */
  | "fills"
  | "makes"
  | "removes"
  | "copies"
  | "moves"
  /** Its words are texts. */
  | "says"
  | "goes"

export interface Cmdlet {
  readonly name: string
  readonly aliases: readonly string[]
  readonly kind: Kind
  readonly reason: string
  /** How many words without a name are paths; all when it is left out. */
  readonly paths?: number
}

const row = (kind: Kind, name: string, aliases: string, reason: string, more: Pick<Cmdlet, "paths"> = {}): Cmdlet => ({
  kind,
  name,
  aliases: aliases.split(" ").filter((one) => one !== ""),
  reason,
  ...more,
})

/** Every cmdlet that is understood. The others are programs of which nothing is known. */
export const cmdlets: readonly Cmdlet[] = [
  row("removes", "Remove-Item", "rm rmdir rd del erase ri", "what it removes is gone"),
  row("removes", "Clear-Content", "clc", "what the file holds is gone"),
  row("copies", "Copy-Item", "cp copy cpi", "the destination becomes a copy"),
  row("moves", "Move-Item", "mv move mi", "the destination becomes the source, which is gone then"),
  row("moves", "Rename-Item", "ren rni", "the source gets the new name"),
  row("fills", "Set-Content", "", "the file gets the text", { paths: 1 }),
  row("fills", "Add-Content", "ac", "the text is added to the file", { paths: 1 }),
  row("fills", "Out-File", "", "the input goes into the file", { paths: 1 }),
  row("fills", "Tee-Object", "tee", "the input goes into the file, too", { paths: 1 }),
  row("fills", "Export-Csv", "epcsv", "the input goes into the file", { paths: 1 }),
  row("fills", "Export-Clixml", "", "the input goes into the file", { paths: 1 }),
  row("makes", "New-Item", "ni", "a file or a directory is made"),
  row("makes", "mkdir", "md", "a directory is made"),
  row("reads", "Get-Content", "cat gc type", "what the file holds is shown"),
  row("reads", "Select-String", "sls", "lines of the file are shown"),
  row("reads", "Import-Csv", "ipcsv", "what the file holds is shown", { paths: 1 }),
  row("reads", "Get-FileHash", "", "the file is read"),
  row("reads", "Format-Hex", "fhx", "what the file holds is shown"),
  row("reads", "Compare-Object", "diff compare", "what is compared is shown"),
  row("looks", "Get-ChildItem", "ls dir gci", "names of files are shown"),
  row("looks", "Get-Item", "gi", "it looks at the file's name"),
  row("looks", "Test-Path", "", "it looks whether something is there"),
  row("looks", "Resolve-Path", "rvpa", "the path is shown"),
  row("looks", "Split-Path", "", "parts of the path are shown"),
  row("looks", "Join-Path", "", "the path is shown"),
  row("looks", "Get-Location", "pwd gl", "the directory is shown"),
  row("looks", "Get-Command", "gcm", "it looks where a command is"),
  row("looks", "Get-Process", "ps gps", "processes are shown"),
  row("looks", "Get-Date", "", "the time is shown"),
  row("looks", "Get-Help", "", "the help is shown"),
  row("looks", "Get-Member", "gm", "names of parts are shown"),
  row("looks", "Get-Host", "", "the shell's version is shown"),
  row("looks", "Select-Object", "select", "some of the input is shown"),
  row("looks", "Sort-Object", "sort", "the input is sorted"),
  row("looks", "Measure-Object", "measure", "the input is counted"),
  row("looks", "Group-Object", "group", "the input is sorted"),
  row("looks", "Get-Unique", "gu", "the input without what it holds twice"),
  row("looks", "Where-Object", "where ?", "some of the input is shown"),
  row("looks", "ForEach-Object", "foreach %", "the block runs for each of the input"),
  row("looks", "Format-Table", "ft", "the input is shown"),
  row("looks", "Format-List", "fl", "the input is shown"),
  row("looks", "Format-Wide", "fw", "the input is shown"),
  row("looks", "Out-String", "oss", "the input becomes a text"),
  row("looks", "Out-Null", "", "the input is dropped"),
  row("looks", "Out-Host", "oh", "the input is shown"),
  row("looks", "ConvertTo-Json", "", "the input becomes a text"),
  row("looks", "ConvertFrom-Json", "", "the input is read"),
  row("looks", "ConvertTo-Csv", "", "the input becomes a text"),
  row("looks", "Start-Sleep", "sleep", "it waits"),
  row("looks", "Clear-Host", "cls clear", "the screen is cleared"),
  row("says", "Write-Output", "echo write", "the text is shown"),
  row("says", "Write-Host", "", "the text is shown"),
  row("says", "Write-Error", "", "the text is shown"),
  row("says", "Write-Warning", "", "the text is shown"),
  row("goes", "Set-Location", "cd chdir sl", "later commands run there"),
  row("goes", "Push-Location", "pushd", "later commands run there"),
  row("goes", "Pop-Location", "popd", "later commands run where it was before"),
]

const launching = "it runs what it is told"
const changing = "it changes what later commands mean"

/** Cmdlets that run a text, start a program, or reach what no path names; and their aliases. */
export const openCmdlets: ReadonlyMap<string, string> = new Map([
  ...each(launching, "Invoke-Expression iex Invoke-Command icm Invoke-Item ii Start-Process saps start Start-Job sajb"),
  ...each(launching, "Start-ThreadJob Invoke-History ihy r Enter-PSSession etsn New-PSSession nsn Invoke-WmiMethod"),
  ...each(launching, "Invoke-CimMethod Invoke-Pester Register-ScheduledTask Register-ScheduledJob New-Service"),
  ...each(launching, "Start-Service Restart-Service Set-Service Add-Type New-Object Invoke-Build Start-Transcript"),
  ...each(launching, "cmd cmd.exe powershell pwsh wsl bash sh wmic mshta cscript wscript rundll32 regsvr32 forfiles"),
  ...each(launching, "schtasks msiexec certutil bitsadmin reg regedit sc at net installutil msbuild runas psexec"),
  ...each(
    changing,
    "Set-Alias sal New-Alias nal Import-Alias ipal Set-Variable sv set New-Variable nv Remove-Variable",
  ),
  ...each(changing, "rv Clear-Variable clv Set-Item si Set-ItemProperty sp New-ItemProperty Remove-ItemProperty rp"),
  ...each(changing, "Clear-Item cli Rename-ItemProperty Copy-ItemProperty Move-ItemProperty New-PSDrive mount ndr"),
  ...each(changing, "Import-Module ipmo New-Module nmo Remove-Module rmo Install-Module Update-Module Save-Module"),
  ...each(changing, "Set-PSDebug Set-StrictMode Set-PSBreakpoint sbp Register-ObjectEvent Register-EngineEvent"),
  ...each(
    changing,
    "Set-ExecutionPolicy Set-Acl Set-Clipboard scb Update-TypeData Update-FormatData Export-ModuleMember",
  ),
  ...each(
    changing,
    "Register-ArgumentCompleter Set-PSReadLineOption Export-Alias epal Import-Clixml Set-Date Set-Culture",
  ),
  ...each("it sends and takes over the network", "Invoke-WebRequest iwr curl wget Invoke-RestMethod irm"),
  ...each("it sends and takes over the network", "Send-MailMessage Start-BitsTransfer New-WebServiceProxy"),
  ...each("it unpacks or packs what nobody sees", "Expand-Archive Compress-Archive"),
])

function each(reason: string, names: string): [string, string][] {
  return names.split(" ").map((name) => [name.toLowerCase(), reason])
}

const byName = new Map(
  cmdlets.flatMap((cmdlet) => [cmdlet.name, ...cmdlet.aliases].map((name) => [name.toLowerCase(), cmdlet] as const)),
)

/** The cmdlet that a name means; `content` is `Get-Content`, when there is no program of that name. */
export function cmdletOf(name: string): Cmdlet | undefined {
  const shown = byName.get(`get-${name.toLowerCase()}`)
  return byName.get(name.toLowerCase()) ?? (shown?.kind === "reads" ? shown : undefined)
}

/** Parameters whose values are no paths, in small letters. A beginning of them means the same. */
const texts: readonly string[] = [
  ..."value encoding filter include exclude pattern itemtype type delimiter depth first last skip property".split(" "),
  ..."totalcount head tail readcount erroraction ea errorvariable warningaction context width inputobject".split(" "),
  ..."message object separator foregroundcolor backgroundcolor algorithm format stream seconds milliseconds".split(" "),
  ..."expandproperty index unique begin process end filterscript attributes credential outvariable newname".split(" "),
]
/** Parameters whose values are. */
const paths: readonly string[] = [
  ..."path literalpath lp pspath destination filepath target name childpath referenceobject differenceobject".split(
    " ",
  ),
]
/** Those without a value. */
const switches: readonly string[] = [
  ..."recurse force confirm whatif verbose debug nonewline append noclobber passthru raw wait hidden directory".split(
    " ",
  ),
  ..."file system readonly all online full detailed examples isvalid leaf container leafbase parent quiet simplematch".split(
    " ",
  ),
  ..."casesensitive list notmatch allmatches noemphasis asbytestream descending line word character notypeinformation".split(
    " ",
  ),
  ..."useculture nonewwindow compress asjson asstring stack eq ne gt lt ge le like notlike match contains in".split(
    " ",
  ),
]

interface Parameter {
  readonly name: string
  readonly word: PathWord
}

/** The words of a cmdlet that are paths to it, and why not all of them are known. `piped`: something comes from a pipe. */
export function cmdletRoles(
  cmdlet: Cmdlet,
  args: readonly Word[],
  piped: boolean,
): { readonly roles: Roles; readonly problem?: string } {
  const nothing: Roles = { writes: [], reads: [] }
  if (cmdlet.name === "ForEach-Object" && args.some(({ raw }) => !/^-(?:process|parallel|begin|end)$/i.test(raw)))
    return { roles: nothing, problem: "a method that is called by its name" }
  if (cmdlet.kind === "says" || cmdlet.kind === "looks") return { roles: nothing }
  const read = parametersOf(args)
  if (typeof read === "string") return { roles: nothing, problem: read }
  const operands = [...read.named, ...read.operands.slice(0, cmdlet.paths).map((word) => ({ name: "", word }))]
  const words = operands.flatMap(({ name, word }) => listed(word).map((one): Parameter => ({ name, word: one })))
  if (cmdlet.name === "Select-String" && !read.texts.includes("pattern")) dropFirstOperand(words)
  const problem = problemOf(cmdlet, words, piped)
  return { roles: rolesFor(cmdlet, words), ...(problem !== undefined && { problem }) }
}

function dropFirstOperand(words: Parameter[]): void {
  const first = words.findIndex(({ name }) => name === "")
  if (first >= 0) words.splice(first, 1)
}

function rolesFor({ kind }: Cmdlet, words: readonly Parameter[]): Roles {
  const all = words.map(({ word }) => word)
  const whole = (one: PathWord): WriteWord => ({ ...one, deep: true, whole: true })
  switch (kind) {
    case "removes":
      return { writes: all.map(whole), reads: [] }
    case "fills":
      return { writes: all, reads: [] }
    case "makes": {
      const names = words.filter(({ name }) => name === "name").map(({ word }) => word.text)
      const places = words.filter(({ name }) => name !== "name").map(({ word }) => word)
      const joined = places.flatMap(({ word, text }) =>
        names.map((name) => ({ word: { ...word, value: `${text}/${name}` }, text: `${text}/${name}` })),
      )
      return { writes: [...all, ...joined], reads: [] }
    }
    case "copies":
    case "moves": {
      const target = words.find(({ name }) => name === "destination") ?? words.at(-1)
      const sources = words.filter((one) => one !== target).map(({ word }) => word)
      const write: WriteWord[] = target ? [{ ...target.word, deep: true, from: sources }] : []
      return { writes: kind === "moves" ? [...write, ...sources.map(whole)] : write, reads: sources }
    }
    default:
      return { writes: [], reads: all }
  }
}

function problemOf({ name, kind }: Cmdlet, words: readonly Parameter[], piped: boolean): string | undefined {
  for (const { word } of words) {
    const { text } = word
    if (/^[^/]*:|^\/\//.test(text)) return "a path of a drive"
    if (text.includes(":")) return "a stream of a file"
    if (/[^/.]\.(?:\/|$)/.test(text)) return "a name that ends in a dot"
    if (text.split("/").some((part) => /^[*?[]/.test(part) && !/^\*\.(?!env)[a-z0-9]{1,5}$/.test(part)))
      return "a pattern that hidden files may match"
  }
  if (kind === "goes" && name === "Pop-Location") return undefined
  const taken = piped && kind !== "fills" && kind !== "goes" && name !== "Select-String" && name !== "Compare-Object"
  if (taken) return "files that come from a pipe"
  return undefined
}

/** Splits arguments as cmdlets take them; a text says what is not understood. */
function parametersOf(
  args: readonly Word[],
):
  | { readonly named: readonly Parameter[]; readonly operands: readonly PathWord[]; readonly texts: readonly string[] }
  | string {
  const named: Parameter[] = []
  const operands: PathWord[] = []
  const given: string[] = []
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!
    const [, written, joined] = (!word.raw.startsWith("-") ? null : /^-([A-Za-z]+)(?::(.*))?$/s.exec(word.value)) ?? []
    if (written === undefined) {
      if (word.many) return "a variable that may be a parameter"
      operands.push({ word, text: slashed(word.value) })
      continue
    }
    const name = parameterOf(written)
    if (name === undefined) return `the parameter -${written}, which is not known`
    given.push(name)
    if (switches.includes(name)) continue
    const value = joined === undefined ? args[++index] : { ...word, value: joined }
    if (!value) return `the parameter -${written} without a value`
    if (/^(?:item)?type$/.test(name) && !/^(?:file|directory)$/i.test(value.value)) return "something else than a file"
    if (paths.includes(name)) named.push({ name, word: { word: value, text: slashed(value.value) } })
    else if (name === "newname") operands.push({ word: value, text: slashed(value.value) })
  }
  return { named, operands, texts: given }
}

/** A parameter by its name or by a beginning of it that can mean nothing else here. */
function parameterOf(written: string): string | undefined {
  const name = written.toLowerCase()
  const all = [...texts, ...paths, ...switches]
  if (all.includes(name)) return name
  const found = new Set(all.filter((one) => one.startsWith(name)))
  // `-r`, `-fo` and `-p` are usual.
  const usual = ["recurse", "force", "path"].find((one) => one.startsWith(name))
  return found.size === 1 ? [...found][0] : usual
}

const slashed = (text: string): string => text.replaceAll("\\", "/")

/** `a,b` is two. A part that is nothing is left out. */
function listed({ word, text }: PathWord): PathWord[] {
  if (!word.plain || !text.includes(",")) return [{ word: { ...word, value: text }, text }]
  return text
    .split(",")
    .filter((one) => one !== "")
    .map((one) => ({ word: { ...wordOf(one), raw: word.raw, glob: word.glob && !hasHole(one) }, text: one }))
}
