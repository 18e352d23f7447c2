import { Collected, oddity, type ShellContext } from "../collected.ts"
import { finish, type ShellFacts } from "../facts.ts"
import { hasHole, longestLine, type Parse, type SyntaxNode, type Word } from "../syntax.ts"
import { unreadable } from "../word-reader.ts"
import { cmdletOf } from "./cmdlets.ts"
import { powershellTokens, type PowershellTokens } from "./powershell-tokens.ts"
import { baseName, WindowsCommands } from "./windows-commands.ts"

/** Reads a PowerShell line. Looks at nothing but the text; never throws. What is not plain is `opaque`. */
export function powershellFacts(parse: Parse, line: string, context: ShellContext): ShellFacts {
  const collected = new Collected(context, anotherShell, () => unreadable(another))
  return {
    caseless: true,
    ...finish(collected, context, () => {
      if (line.length > longestLine) unreadable("a line longer than 64 kB")
      const odd = oddity(line)
      if (odd !== undefined) unreadable(odd)
      const tokens = powershellTokens(line, context.home)
      const parsed = parse(tokens.skeleton)
      if (!parsed.ok) return unreadable(parsed.reason)
      new Reader(tokens, collected).read(parsed.root)
    }),
  }
}

const another = "the line of another shell"
const anotherShell: Parse = () => ({ ok: false, reason: another })

/** Nodes that only hold others. */
const holders: ReadonlySet<string> = new Set([
  ..."program statement_list pipeline if_statement elseif_clauses elseif_clause else_clause statement_block".split(" "),
  ..."while_statement while_condition try_statement catch_clauses catch_clause finally_clause empty_statement".split(
    " ",
  ),
  ..."script_block_expression script_block script_block_body parenthesized_expression sub_expression".split(" "),
  ..."pipeline_chain_tail".split(" "),
])
const signs: ReadonlySet<string> = new Set([..."; && || ( ) { } $( if elseif else while try catch finally".split(" ")])

/** Goes through the tree of a skeleton. Each word of the line has to be met once, in the place where the tree has one. */
class Reader {
  readonly #commands: WindowsCommands
  readonly #met = new Set<number>()

  constructor(
    private readonly tokens: PowershellTokens,
    private readonly collected: Collected,
  ) {
    this.#commands = new WindowsCommands(collected)
  }

  read(root: SyntaxNode): void {
    this.#visit(root)
    for (const target of this.tokens.targets) this.#target(target)
    if (this.#met.size !== this.tokens.words.size) unreadable("a syntax that is not understood")
  }

  #visit(node: SyntaxNode): void {
    this.#gaps(node)
    if (node.type === "pipeline_chain") return this.#chain(node)
    if (!holders.has(node.type)) return unreadable(`the syntax ${node.type}`)
    for (const child of node.children) {
      if (child.named) this.#visit(child)
      else if (!signs.has(child.type.toLowerCase())) unreadable(`the sign ${child.type}`)
    }
  }

  #gaps({ start, end, children }: SyntaxNode): void {
    let at = start
    for (const child of children) {
      this.#gap(at, child.start)
      at = child.end
    }
    if (children.length > 0) this.#gap(at, end)
  }

  #gap(start: number, end: number): void {
    if (this.tokens.skeleton.slice(start, end).trim() !== "") unreadable("a syntax that is not understood")
  }

  #chain(node: SyntaxNode): void {
    let before: string | undefined
    for (const child of node.children) {
      if (child.type === "command") before = this.#command(child, before)
      else if (child.type !== "|") unreadable(`the syntax ${child.type}`)
    }
  }

  /** The name of what it runs. `before`: that of what hands its output to it. */
  #command(node: SyntaxNode, before: string | undefined): string {
    this.#gaps(node)
    const words: Word[] = []
    for (const child of node.children) {
      if (child.type === "command_name") words.push(this.#word(child))
      else if (child.type === "command_name_expr") {
        const [name] = child.children
        if (name?.type !== "command_name" || child.children.length > 1) return unreadable("a calculated command")
        words.push(this.#word(name))
      } else if (child.type === "command_elements") words.push(...this.#elements(child))
      else if (child.type === "command_invokation_operator") this.#operator(child)
      else return unreadable(`the syntax ${child.type}`)
    }
    return this.#run(words, before)
  }

  #operator({ start, end }: SyntaxNode): void {
    if (this.tokens.skeleton.slice(start, end) !== "&") unreadable("a file that runs in this shell")
  }

  #elements(node: SyntaxNode): Word[] {
    this.#gaps(node)
    return node.children.flatMap((child): Word[] => {
      if (child.type === "command_argument_sep") return []
      if (child.type === "generic_token") return [this.#word(child)]
      if (child.type !== "array_literal_expression") return unreadable(`the syntax ${child.type}`)
      const [unary] = child.children
      const [inner] = unary?.children ?? []
      if (!inner || child.children.length > 1 || unary!.children.length > 1) return unreadable("a list")
      this.#visit(inner)
      // What a block gives is not a word; what brackets give may be many.
      if (inner.type === "script_block_expression") return []
      return [{ raw: this.tokens.skeleton.slice(inner.start, inner.end), ...unknownWord }]
    })
  }

  #word({ start, end }: SyntaxNode): Word {
    const found = this.tokens.words.get(start)
    if (!found || found.end !== end || this.#met.has(start)) return unreadable("a syntax that is not understood")
    this.#met.add(start)
    return found.word
  }

  #run(words: readonly Word[], before: string | undefined): string {
    const [first, ...args] = words
    if (!first) return unreadable("an empty command name")
    const { collected } = this
    const name = first.value
    if (hasHole(name) || !/^[\p{L}\p{N}_.:\\/+~?%-]+$/u.test(name)) {
      collected.reasons.add(hasHole(name) ? "a variable as the command" : "an unusual command name")
      collected.step()
      return ""
    }
    if (name.includes(":")) collected.reasons.add("a program of a drive")
    if (/^[^.~\\/][^/]*\\/.test(name)) collected.reasons.add("a name that may be that of a module's command")
    const base = baseName(name)
    const cmdlet = /[\\/:]|\.\w+$/.test(name) ? undefined : cmdletOf(base)
    if (programsToo.has(base) && args.length > 0)
      collected.reasons.add(`${base}: which command it is depends on the system`)
    if (!cmdlet) this.#commands.program(base, words)
    else this.#commands.cmdlet(cmdlet, words, args, before !== undefined && !says(before, cmdlet.name))
    return cmdlet?.name ?? base
  }

  #target(word: Word): void {
    if (/[:*?[]|\.$/.test(word.value)) return unreadable("a redirect that is not understood")
    this.collected.redirect(
      { kind: "write", target: { ...word, value: word.value.replaceAll("\\", "/") } },
      this.#commands.state,
    )
  }
}

/** Aliases that elsewhere are programs which do something else. */
const programsToo: ReadonlySet<string> = new Set(["sort", "tee", "compare", "write"])

/** Texts that only `Select-String` would take for names of files, were they files. */
const says = (before: string, name: string): boolean =>
  name === "Select-String" && !/^Get-(?:ChildItem|Item)$/.test(before)

const unknownWord: Omit<Word, "raw"> = { value: "\uffff", glob: false, tilde: false, plain: false, many: true }
