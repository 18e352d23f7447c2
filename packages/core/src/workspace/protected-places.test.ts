import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { placesIn, userPlacesIn } from "./protected-places.ts"
import { userPlaces } from "./protection.ts"

test("the places of the table that are there, patterns filled in", async () => {
  await using space = await tempWorkspace()
  const put = (path: string) => {
    mkdirSync(join(space.dir, path, ".."), { recursive: true })
    writeFileSync(join(space.dir, path), "")
  }
  for (const path of [".github/workflows/a.yml", ".vscode/tasks.json", "my.code-workspace", "src/cairn.json"]) put(path)
  for (const path of [".git/modules/a/config", ".git/modules/b/hooks/x", ".run", "Jenkinsfile"]) put(path)
  symlinkSync("nowhere", join(space.dir, "cairn.json"))
  const found = placesIn(space.dir).map(({ path }) => path.slice(space.dir.length + 1))
  expect(found.toSorted()).toEqual(
    [
      ...[".git/modules/a/config", ".git/modules/b/hooks", ".github/workflows", ".vscode/tasks.json", "Jenkinsfile"],
      ...["cairn.json", "my.code-workspace"],
    ].toSorted(),
  )
})

test("the user's own, when they really lie in what may be written", async () => {
  await using space = await tempWorkspace()
  writeFileSync(join(space.dir, "bashrc"), "")
  writeFileSync(join(space.home, ".zshrc"), "")
  symlinkSync(join(space.dir, "bashrc"), join(space.home, ".bashrc"))
  const places = userPlaces({}, space.home)
  expect(userPlacesIn([space.dir], places).map(({ path }) => path)).toEqual([join(space.dir, "bashrc")])
  expect(userPlacesIn([space.home], places).map(({ row }) => row.path)).toEqual([".zshrc"])
})
