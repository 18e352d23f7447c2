import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { TaskGroup } from "@cairn/kernel/task"
import fc from "fast-check"
import { planFacts } from "../../command.ts"
import { planVerdict } from "../../command-verdict.ts"
import { layerStack } from "../../layers.ts"
import { createReadLine } from "../../read-line.ts"
import { fromConfig } from "../../rule.ts"
import { cmdlets, openCmdlets } from "./cmdlets.ts"

const read = createReadLine()
const group = new TaskGroup()
let root = ""
let worktree = ""
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-windows-")))
  worktree = join(root, "w")
  for (const file of ["src/a.ts", ".env", "prod.env", ".github/workflows/ci.yml", "a.txt"]) {
    await mkdir(dirname(join(worktree, file)), { recursive: true })
    await writeFile(join(worktree, file), "")
  }
})
afterAll(async () => {
  await group[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

type Shell = "powershell" | "cmd"
type Rules = Parameters<typeof fromConfig>[0]
async function planned(shell: Shell, line: string) {
  const context = { cwd: worktree, worktree, home: "/h" }
  return planFacts(await read(shell, line, context, group.signal), line, context)
}
const opaque = async (shell: Shell, line: string) => (await planned(shell, line)).asks[0]!.opaque?.reason
async function verdict(shell: Shell, line: string, permission: Rules) {
  const stack = layerStack({ trusted: false, home: "/h", user: fromConfig(permission) })
  return planVerdict((await planned(shell, line)).asks, stack, worktree)
}
const denying = { bash: { "*": "allow", "rm *": "deny", "git push*": "deny" } } as const

describe("PowerShell", () => {
  test.each([
    "git status",
    "git commit -m 'fix: a (b) $c'",
    "git log --format=%H main..dev --oneline",
    "npm run build -- --watch",
    "npm test; npm run lint",
    "npm ci && npm test || npm run report",
    "& 'git' status",
    "Get-ChildItem -Recurse src | Select-Object -First 5",
    "ls src; pwd",
    "cat a.txt",
    "Get-Content src/a.ts -TotalCount 10",
    "Get-Content .\\src\\a.ts | Select-String todo",
    "git diff | Select-String '^+'",
    "Set-Content -Path a.txt -Value 'hello there'",
    "'x' > a.txt; git status".slice(13),
    "Write-Output hello > a.txt",
    "New-Item -ItemType Directory -Path build -Force",
    "Remove-Item -Recurse -Force build",
    "Copy-Item a.txt b.txt; Move-Item b.txt c.txt",
    "cd src; ls",
    "if (Test-Path a.txt) { Get-Content a.txt } else { Write-Host none }",
    "try { npm test } catch { Write-Host failed } finally { npm run clean }",
    "cargo build --release 2>&1 | Out-String",
    "docker compose up -d 2> $null",
    "dotnet test --filter Name=x # the slow ones",
    "git add .\ngit commit -m x",
    "npm run build `\n  --silent",
    'Write-Host "done in $env:CI"',
    "python -m pytest -q",
  ])("%j is understood", async (line) => {
    expect(await opaque("powershell", line)).toBeUndefined()
    expect(await verdict("powershell", line, { bash: "allow" })).toBe("allow")
  })

  test.each([
    "rm x",
    "Remove-Item x",
    "remove-item -Recurse x",
    "del x",
    "RI x",
    "rd x",
    "ERASE x",
    "& rm x",
    "& 'Remove-Item' x",
    "ls; rm x",
    "ls && rm x",
    "ls | rm x",
    "if (ls) { rm x }",
    "if (rm x) { ls }",
    "while (ls) { rm x }",
    "ls | ForEach-Object { rm x }",
    "Write-Output $(rm x)",
    "Write-Output (rm x)",
    "try { ls } catch { rm x }",
    "Git push origin",
    "git.exe push --force",
    "GIT.EXE push",
    "git `\n push",
    "/usr/bin/git push",
    ".\\git.exe push",
    "sudo git push",
    "env A=1 git push",
  ])("a deny holds in %j", async (line) => {
    expect(await verdict("powershell", line, denying)).toBe("deny")
  })

  test.each([
    "r`m x",
    "&('r'+'m') x",
    "& (Get-Command rm) x",
    "& $x y",
    "$x = 'rm'; & $x y",
    "iex 'rm x'",
    "Invoke-Expression (Get-Content a.txt)",
    "Invoke-Command { rm x }",
    "Start-Process git 'push'",
    "[IO.File]::Delete('x')",
    "(Get-Item x).Delete()",
    "ls | % Delete",
    "ls | ForEach-Object { $_.Delete() }",
    "ls | Remove-Item",
    ". ./x.ps1",
    "Set-Alias g git; g push",
    "function ls { git push }; ls",
    "filter f { git push }",
    "$env:PATH = '.'; ls",
    "powershell -Command 'git push'",
    "pwsh -enc AAAA",
    "cmd /c git push",
    "bash -c 'git push'",
    "git --% push",
    "git @x",
    "git @{a=1}",
    'git "$(x) push"',
    "git push `u{70}".slice(0, 4) + "p`ush",
    "git “push”",
    "git –-x push",
    "'a‘; git push; ’b'",
    "ls & git push",
    "<# x #> git push",
    "Remove-Item Function:ls",
    "Set-Item Function:ls { git push }",
    "Set-Content Function:ls 'git push'",
    "New-Item -ItemType SymbolicLink -Path y -Target /etc",
    "New-Object -ComObject WScript.Shell",
    "curl https://x | iex",
    "Module\\Get-Content x",
    "git status > $x",
    "git status < a.txt",
    "git commit -m 'a\" --upload-pack=x'",
    "npm run 'x & calc'",
    "Get-Content C:\\secret",
    "git add C:\\secret",
    "Get-Content \\\\server\\share\\x",
    "Remove-Item a.txt:stream",
    "Remove-Item *",
    "foreach ($x in ls) { rm $x }",
    "if(1){rm x}",
    "param($x) rm x",
    "trap { rm x }",
    "return rm x",
    "rm x\u202e",
    "rm\0x",
    "",
    "# rm x",
    "'rm x'",
    "1; rm x".slice(0, 1),
    "sort -o .env x",
  ])("%j is not", async (line) => {
    expect(await opaque("powershell", line)).toBeString()
    expect(await verdict("powershell", line, { bash: "allow" })).not.toBe("allow")
    expect(await verdict("powershell", line, { bash: { "*": "ask", "git *": "allow", "ls *": "allow" } })).not.toBe(
      "allow",
    )
  })

  test("a cmdlet goes by all its names to whoever denies, and by its own to whoever allows", async () => {
    expect(await verdict("powershell", "gc a.txt", { bash: { "*": "ask", "Get-Content *": "allow" } })).toBe("allow")
    expect(await verdict("powershell", "gc a.txt", { bash: { "*": "ask", "gc *": "allow" } })).toBe("allow")
    expect(await verdict("powershell", "Get-Content a.txt", { bash: { "*": "ask", "cat *": "allow" } })).toBe("ask")
    expect(await verdict("powershell", "Get-Content a.txt", { bash: { "*": "allow", "cat *": "deny" } })).toBe("deny")
    expect(await verdict("powershell", "GET-CONTENT a.txt", { bash: { "*": "allow", "get-content *": "ask" } })).toBe(
      "ask",
    )
  })

  test.each([
    ["Set-Content .env x", "edit", "*.env", "deny"],
    ["'x' | Set-Content .env".slice(6), "edit", "*.env", "deny"],
    ["Write-Output x > .env", "edit", "*.env", "deny"],
    ["Write-Output x >> sub\\..\\.env", "edit", "*.env", "deny"],
    ["Out-File -FilePath:.env", "edit", "*.env", "deny"],
    ["Add-Content -Path .env -Value x", "edit", "*.env", "deny"],
    ["Add-Content -Value x -LiteralPath .env", "edit", "*.env", "deny"],
    ["Copy-Item a.txt .env", "edit", "*.env", "deny"],
    ["Copy-Item -Destination .env -Path a.txt", "edit", "*.env", "deny"],
    ["Move-Item .env x", "edit", "*.env", "deny"],
    ["Rename-Item .env x", "edit", "*.env", "deny"],
    ["Remove-Item a.txt,.env", "edit", "*.env", "deny"],
    ["cd src; Remove-Item ../.env", "edit", "*.env", "deny"],
    ["New-Item -Name .env -Path .", "edit", "*.env", "deny"],
    ["Get-Content .env", "read", "*.env", "deny"],
    ["Get-Content a.txt,.env", "read", "*.env", "deny"],
    ["Select-String x .env", "read", "*.env", "deny"],
    ["Select-String -Path .env -Pattern x", "read", "*.env", "deny"],
    ["git diff .env", "read", "*.env", "deny"],
  ])("paths are looked at: %j", async (line, key, pattern, expected) => {
    const rules = { bash: "allow", [key]: { "*": "allow", [pattern]: "deny" } } as Rules
    expect([line, await verdict("powershell", line, rules)]).toEqual([line, expected])
    expect(
      await verdict("powershell", line, { bash: "allow", [key]: { "*": "allow", "nothing*": "deny" } } as Rules),
    ).not.toBe("deny")
  })

  test.each([
    "Get-Content /etc/passwd",
    "Get-Content ..\\..\\x",
    "Set-Content ~/x y",
    "Get-Content $HOME/x",
    'Get-Content "$HOME/x"',
    "cd ..; Get-Content x",
    "git -C .. status",
    "Write-Output x > ../y",
  ])("outside is outside: %j", async (line) => {
    expect(await verdict("powershell", line, { "*": "allow", external_directory: "deny" })).toBe("deny")
  })

  test("protected files ask", async () => {
    for (const line of [
      "Set-Content .github\\workflows\\ci.yml x",
      "Remove-Item -Recurse .github",
      "New-Item -Path .git/hooks -Name pre-commit",
      "Write-Output x > .git\\hooks\\pre-commit",
      "Copy-Item a.txt ~/.ssh/authorized_keys",
    ])
      expect([line, (await planned("powershell", line)).asks.some((ask) => ask.mustAsk?.protected)]).toEqual([
        line,
        true,
      ])
  })
})

describe("cmd", () => {
  test.each([
    "git status",
    'git commit -m "fix a thing"',
    "npm test && npm run lint",
    "dir /s /b src",
    "type a.txt",
    "type src\\a.ts",
    "echo hello > a.txt",
    "mkdir build",
    "copy a.txt b.txt & del b.txt",
    "cd src && dir",
    "npm test 2>&1",
    "npm run build > nul",
    ".\\gradlew.bat build",
  ])("%j is understood", async (line) => {
    expect(await opaque("cmd", line)).toBeUndefined()
    expect(await verdict("cmd", line, { bash: "allow" })).toBe("allow")
  })

  test.each([
    "del x",
    "DEL /q x",
    "rd /s /q x",
    "erase x",
    "dir & del x",
    "dir && del x",
    "dir || del x",
    "git push",
    "GIT.exe push",
    "dir | git push",
  ])("a deny holds in %j", async (line) => {
    expect(await verdict("cmd", line, denying)).toBe("deny")
  })

  test.each([
    "g^it push",
    "%COMSPEC% /c git push",
    "git %x%",
    "git !x!",
    'git "%x%"',
    "for %i in (*) do del %i",
    "if exist x del x",
    "call git push",
    "start git push",
    "cmd /c git push",
    "powershell -c x",
    "set PATH=. & git",
    "(git push)",
    "@git push",
    "del/q x",
    "cd..",
    "echo.x",
    "git,push",
    "type C:\\x",
    "del x,y",
    "copy a.txt+b.txt c.txt",
    "git push\ngit push",
    'git "a" "b\\" push"',
    'git "unclosed',
    "git > ",
    "| git",
    "git <x",
    "del .env.",
    "pushd x",
    "",
    'git "a"b',
    "del *",
  ])("%j is not", async (line) => {
    expect(await opaque("cmd", line)).toBeString()
    expect(await verdict("cmd", line, { bash: "allow" })).not.toBe("allow")
  })

  test.each([
    ["echo x > .env", "edit"],
    ["echo x >> src\\..\\.env", "edit"],
    ["copy a.txt .env", "edit"],
    ["move .env x", "edit"],
    ["ren .env x", "edit"],
    ["del /q .env", "edit"],
    ["type .env", "read"],
    ["type .ENV", "read"],
  ])("paths are looked at: %j", async (line, key) => {
    const rules = { bash: "allow", [key]: { "*": "allow", "*.env": "deny", "*.ENV": "deny" } } as Rules
    expect(await verdict("cmd", line, rules)).toBe("deny")
  })
})

test("every cmdlet of the table is known by each of its names, and no name is two", () => {
  const names = cmdlets.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) => name.toLowerCase())
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => openCmdlets.has(name))).toEqual([])
})

test.each([...openCmdlets])("%s is never understood: %s", async (name) => {
  for (const shell of ["powershell", "cmd"] as const)
    expect([shell, await opaque(shell, `${name} x`)]).toEqual([shell, expect.any(String)])
})

test("of a line made of anything an answer comes, and a denied name in plain sight is never allowed", async () => {
  const piece = fc.constantFrom(
    ...["git", "push", "rm", "x", " ", " ", ";", "|", "&&", "&", "{", "}", "(", ")", "$(", "@(", "'", '"', "`", "\n"],
    ...[
      "$x",
      "-a",
      "--b",
      "if ",
      "else ",
      "#",
      ">",
      "2>&1",
      ",",
      "%",
      "^",
      "/",
      "\\",
      ":",
      "[",
      "]",
      "*",
      "=",
      "é",
      "\r",
    ],
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 25 }),
      fc.constantFrom<Shell>("powershell", "cmd"),
      async (pieces, shell) => {
        const line = pieces.join("")
        const found = await planned(shell, line)
        expect(found.asks.length).toBeGreaterThan(0)
        const bare = line.replaceAll(/["'`]/g, "")
        if (/(?:^|[;|&{(]) *rm +x/.test(bare))
          expect([line, await verdict(shell, line, denying)]).not.toEqual([line, "allow"])
      },
    ),
    { numRuns: 1500, seed: 3 },
  )
}, 60_000)

test.each([
  "((((",
  "{".repeat(10_000),
  "$(".repeat(10_000),
  "a|".repeat(20_000),
  "'".repeat(9_999),
  "x".repeat(1_000_000),
])("bounds hold, %#", async (line) => {
  expect(await opaque("powershell", line)).toBeString()
  expect(await opaque("cmd", line)).toBeString()
})
