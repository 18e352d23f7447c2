const nobody = 65_534

/**
 * Runs `work` as a user to whom the modes of files apply: root becomes nobody for so long, who then owns `place` and all
 * below it; anybody else stays who they are. Where that cannot be, the reason is printed. Afterwards all of `place` can be
 * removed again. Modules that `work` needs are best loaded before.
 */
export async function asNobody(place: string, work: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0
  if (root) {
    Bun.spawnSync(["chown", "-R", String(nobody), place])
    try {
      process.seteuid?.(nobody)
    } catch (error) {
      process.stdout.write(`skipped: root reads everything, and cannot become nobody here (${String(error)})\n`)
      return
    }
  }
  try {
    await work()
  } finally {
    if (root) process.seteuid?.(0)
    Bun.spawnSync(["chmod", "-R", "u+rwX", place])
  }
}
