import cairnContrast from "./themes/cairn-contrast.json"
import cairn from "./themes/cairn.json"
import catppuccin from "./themes/catppuccin.json"
import github from "./themes/github.json"
import gruvbox from "./themes/gruvbox.json"
import mono from "./themes/mono.json"
import nord from "./themes/nord.json"
import oneDark from "./themes/one-dark.json"
import rosepine from "./themes/rosepine.json"
import solarized from "./themes/solarized.json"
import system from "./themes/system.json"
import tokyonight from "./themes/tokyonight.json"
import { parseTheme, type Theme } from "./theme.ts"

const files: Readonly<Record<string, unknown>> = {
  ...{ cairn, system, "cairn-contrast": cairnContrast, catppuccin, github, gruvbox, mono, nord },
  ...{ "one-dark": oneDark, rosepine, solarized, tokyonight },
}

export const themeNames: readonly string[] = Object.keys(files)

/** A theme that comes with the program; undefined when there is none of this name. */
export function builtInTheme(name: string): Theme | undefined {
  if (!Object.hasOwn(files, name)) return undefined
  const theme = parseTheme(name, files[name])
  return theme.ok ? theme.value : undefined
}
