// The root's bunfig.toml names this for `bun test`: without it JSX is drawn once, signals change nothing, and tests of views pass for nothing.
import { understandJsx } from "../src/jsx.ts"

understandJsx()
