import { describe, expect, test } from "bun:test"
import { startingSettings } from "./git-settings.ts"

const usual = `[core]
	repositoryformatversion = 0
	bare = false
[remote "origin"]
	url = git@example.org:a/b
	fetch = +refs/heads/*:refs/remotes/origin/*
`

describe("settings by which git starts programs", () => {
  test.each([
    ["[core]\n\tfsmonitor = x", "core.fsmonitor"],
    ["[CORE]\n\tHooksPath=x", "core.hookspath"],
    ["[core] sshCommand = x", "core.sshcommand"],
    ["[alias]\n\tst = !x", "alias.st"],
    ['[filter "lfs"]\n\tclean = x', "filter.lfs.clean"],
    ['[diff "a\\"b"]\n\ttextconv = x', 'diff.a\\"b.textconv'],
    ["[include]\n\tpath = x", "include.path"],
    ['[includeIf "gitdir:/"]\n\tpath = x', "includeif.gitdir:/.path"],
    ["[core]\n\tpa\\\nger = x", "core.pager"],
    ["[credential]\n\thelper = !x", "credential.helper"],
    ['[url "x"]\n\tinsteadOf = y', "url.x.insteadof"],
    ["[gpg]\n\tprogram = x", "gpg.program"],
    ["# it does not go on \\\n[core]\n\tpager = x", "core.pager"],
    ['[branch "x"]\n\tmerge = a ; b \\\n[core]\n\tpager = x', "core.pager"],
    ['[submodule "a"]\n\tupdate = !x', "submodule.a.update"],
  ])("%j", (added, key) => expect(startingSettings(usual, usual + added)).toEqual([key]))

  test("what stood there already, what went, and what starts nothing", () => {
    const aliased = `${usual}[alias]\n\tst = !x\n`
    expect(startingSettings(aliased, aliased)).toEqual([])
    expect(startingSettings(aliased, usual)).toEqual([])
    expect(startingSettings(aliased, aliased.replace("!x", "!y"))).toEqual(["alias.st"])
    const goesOn = '[branch "x"]\n\tdescription = a \\\n[core] \\\n\tpager = x\n'
    expect(startingSettings(usual, usual + goesOn)).toEqual([])
    expect(startingSettings(usual, `${usual}[submodule "a"]\n\tupdate = rebase\n`)).toEqual([])
    const more = '[branch "main"]\n\tremote = origin\n[user]\n\tname = x\n[remote "b"]\n\turl = x\n'
    expect(startingSettings(usual, usual + more)).toEqual([])
  })
})
