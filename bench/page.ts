const kept = 12
const intro = `# Benchmarks

Written by \`bun run bench\`; this text too. Newest first, the last ${kept} runs.

- The executable (\`dist/cairn\`) against a floor program (\`bench/floor.ts\`, compiled alike) that streams, runs the same tools, and checks and stores nothing. Both run in turn against one scripted model over loopback HTTP, with zero latency, in a process of its own.
- "× floor" compares the least disturbed repetitions, and they are held against the budget too: other work on the machine only ever adds. The load average says how much there was.
- CPU is user and system time of the process and of the children it waited for. Memory is the high-water mark of the process itself, watched while it runs; the greatest run stands under "min", because watching can only miss.
- A step is one model call and one tool call: read, edit, bash in turn, all on one file, with permissions and the event log. The growth compares the time from request to request, the model's and the wire's share included.
- Tokens are bytes ÷ 4. Rows with ● are counts or shares on which CI may fail; it fails on no time.
`

/** The page with a new section first, of those that were there the newest. `section` begins with `## `. */
export function pageWith(page: string, section: string): string {
  const before = page.split(/^(?=## )/m).filter((part) => part.startsWith("## "))
  return [intro, section, ...before.slice(0, kept - 1)].map((part) => `${part.trim()}\n`).join("\n")
}
