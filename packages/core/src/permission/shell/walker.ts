import type { Cut, Heredoc } from "./heredoc.ts"
import type { Collected, Source } from "./collected.ts"
import { runCommand } from "./run-command.ts"
import { survey } from "./survey.ts"
import { assign, both, differs, type Flow, forget, merge, type State, unknownValue } from "./state.ts"
import { digits, hasHole, hole, type Redirect, type SyntaxNode, type Word } from "./syntax.ts"
import { type Expansions, readValue, readWords, unreadable, type Value } from "./word-reader.ts"

/** Goes through the statements of one text and collects what would run. Throws `Unreadable` where it cannot be known. */
export class Walker {
  readonly source: string
  readonly #heredocs: ReadonlyMap<number, Heredoc>

  constructor(
    private readonly cut: Cut,
    readonly collected: Collected,
  ) {
    this.source = cut.text
    this.#heredocs = cut.heredocs
  }

  program(root: SyntaxNode, state: State): Flow {
    this.#comments(root)
    return this.#sequence(root.children, both(state))
  }

  /** What the tree takes for a comment must be one, wherever it stands: it hides what is in it. */
  #comments(root: SyntaxNode): void {
    const open = [root]
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.type === "comment") this.#comment(node)
      open.push(...node.children)
    }
  }

  /** Statements one after the other, with `;`, `&` and line ends between them. */
  #sequence(children: readonly SyntaxNode[], from: Flow): Flow {
    let flow = from
    for (const [index, node] of children.entries()) {
      if (!this.#isStatement(node, separators)) continue
      const start = merge(flow.good, flow.bad)
      const next = children.slice(index + 1, index + 4).find((one) => one.type !== "comment")
      if (next?.type === "&") {
        this.statement(node, start)
        flow = both(start)
      } else flow = this.statement(node, start)
    }
    this.#gaps(children)
    return flow
  }

  /** True for a statement, false for what may stand between them; anything else is not understood. */
  #isStatement(node: SyntaxNode, between: ReadonlySet<string>): boolean {
    if (node.type === "comment") return false
    if (node.named) return true
    if (!between.has(node.type)) unreadable(`the shell word ${node.type}`)
    return false
  }

  /** Between nodes stands nothing but space. */
  #gaps(children: readonly SyntaxNode[]): void {
    for (const [index, node] of children.entries()) {
      const next = children[index + 1]
      if (next && !/^[ \t\n]*$/.test(this.source.slice(node.end, next.start)))
        unreadable("a syntax that is not understood")
    }
  }

  #comment(node: SyntaxNode): void {
    const before = this.source[node.start - 1] ?? "\n"
    const ends = this.source[node.end] ?? "\n"
    const text = this.cut.original(node.start, node.end)
    if (!" \t\n;&|()".includes(before) || this.source[node.start - 2] === "\\" || ends !== "\n" || /[\n\r]/.test(text))
      unreadable("a comment that is not understood")
  }

  statement(node: SyntaxNode, state: State, redirects: readonly SyntaxNode[] = []): Flow {
    this.collected.step()
    switch (node.type) {
      case "command":
        return this.#command(node, state, redirects)
      case "redirected_statement":
        return this.#redirected(node, state, redirects)
      case "list":
        return this.#list(node, state, redirects)
      case "pipeline":
        return this.#pipeline(node, state, redirects)
      case "negated_command": {
        this.#gaps(node.children)
        const flow = this.statement(this.#only(node, "!"), state, redirects)
        return { good: flow.bad, bad: flow.good }
      }
      case "declaration_command":
      case "unset_command":
        return this.#command(node, state, redirects)
      case "variable_assignment":
      case "variable_assignments":
        return this.#command(node, state, redirects)
      case "test_command":
        return this.#test(node, state, redirects)
    }
    if (this.#redirects(redirects, state).length > 0) unreadable("a word behind a redirect")
    this.collected.document = undefined
    return this.#compound(node, state)
  }

  #compound(node: SyntaxNode, state: State): Flow {
    this.#gaps(node.children)
    switch (node.type) {
      case "subshell":
        this.#sequence(inner(node, "(", ")"), both(state))
        return both(state)
      case "compound_statement":
        if (node.children[0]?.type === "((") {
          return this.#sum(node, state)
        }
        // Without a blank and a command between its braces it is the name of a program.
        if (inner(node, "{", "}").length === 0) unreadable("an empty block")
        return this.#sequence(inner(node, "{", "}"), both(state))
      case "if_statement":
        return this.#if(node.children, state)
      case "while_statement":
        return this.#while(node, state)
      case "for_statement":
        return this.#for(node, state)
      case "c_style_for_statement": {
        const body = node.children.at(-1)!
        for (const child of node.children.slice(0, -1)) if (child.named) this.survey(child, state, true)
        const names = node.children.slice(0, -1).flatMap((child) => assignedIn(child, this.source))
        const after = names.reduce((one, name) => assign(one, name, { text: digits }), state)
        return this.#loop(after, (from) => this.#body(body, from))
      }
      case "case_statement":
        return this.#case(node, state)
      case "function_definition":
        return this.#function(node, state)
      default:
        return unreadable(`the shell word ${node.type}`)
    }
  }

  /** The only named child of a node whose other children are `token`. */
  #only(node: SyntaxNode, ...tokens: string[]): SyntaxNode {
    const named = node.children.filter((child) => child.named)
    const rest = node.children.filter((child) => !child.named)
    if (named.length !== 1 || rest.some((child) => !tokens.includes(child.type)))
      return unreadable("a syntax that is not understood")
    return named[0]!
  }

  #list(node: SyntaxNode, state: State, redirects: readonly SyntaxNode[]): Flow {
    this.#gaps(node.children)
    const [left, operator, right] = node.children.filter((child) => child.type !== "comment")
    if (!left || !operator || !right || node.children.length > 3) return unreadable("a syntax that is not understood")
    const first = this.statement(left, state)
    if (operator.type === "&&") {
      const second = this.statement(right, first.good, redirects)
      return { good: second.good, bad: merge(first.bad, second.bad) }
    }
    if (operator.type !== "||") return unreadable(`the shell word ${operator.type}`)
    const second = this.statement(right, first.bad, redirects)
    return { good: merge(first.good, second.good), bad: second.bad }
  }

  #pipeline(node: SyntaxNode, state: State, redirects: readonly SyntaxNode[]): Flow {
    this.#gaps(node.children)
    const stages = node.children.filter((child) => this.#isStatement(child, pipes))
    let input: Source | undefined
    for (const [index, stage] of stages.entries()) {
      if (index > 0 && stage.type === "negated_command") unreadable("the shell word !")
      const before = this.collected.input
      this.collected.input = index === 0 ? before : (input ?? "unknown")
      this.collected.output = undefined
      this.statement(stage, state, index === stages.length - 1 ? redirects : [])
      input = this.collected.output
      this.collected.input = before
    }
    return both(state)
  }

  #redirected(node: SyntaxNode, state: State, outer: readonly SyntaxNode[]): Flow {
    this.#gaps(node.children)
    const body = node.children.filter((child) => !isRedirect(child))
    const redirects = [...node.children.filter(isRedirect), ...outer]
    const [statement] = body
    if (body.length > 1) return unreadable("a syntax that is not understood")
    if (statement) return this.statement(statement, state, redirects)
    if (this.#redirects(redirects, state).length > 0) unreadable("a word behind a redirect")
    return both(state)
  }

  #if(children: readonly SyntaxNode[], state: State): Flow {
    const then = children.findIndex((child) => child.type === "then")
    if (then < 0) return unreadable("a syntax that is not understood")
    const condition = this.#sequence(children.slice(1, then), both(state))
    const rest = children.slice(then + 1)
    const at = rest.findIndex((child) => child.type === "elif_clause" || child.type === "else_clause")
    const body = (at < 0 ? rest : rest.slice(0, at)).filter((child) => child.type !== "fi")
    const flow = this.#sequence(body, both(condition.good))
    const other = at < 0 ? both(condition.bad) : this.#otherwise(rest.slice(at), condition.bad)
    return { good: merge(flow.good, other.good), bad: merge(flow.bad, other.bad) }
  }

  #otherwise([clause, ...more]: readonly SyntaxNode[], state: State): Flow {
    if (!clause) return both(state)
    this.#gaps(clause.children)
    if (clause.type === "else_clause") return this.#sequence(clause.children.slice(1), both(state))
    const rest = more.filter((child) => child.type === "elif_clause" || child.type === "else_clause")
    return this.#if([...clause.children, ...rest], state)
  }

  #while(node: SyntaxNode, state: State): Flow {
    const body = node.children.at(-1)!
    return this.#loop(state, (from) => {
      const condition = this.#sequence(node.children.slice(1, -1), both(from))
      const flow = this.#body(body, condition.good)
      return both(merge(merge(flow.good, flow.bad), merge(condition.good, condition.bad)))
    })
  }

  /** What a loop does in its first round, and in any later one. */
  #loop(state: State, round: (from: State) => Flow): Flow {
    let from = state
    for (let count = 0; count < 4; count++) {
      const flow = round(from)
      const after = merge(from, merge(flow.good, flow.bad))
      if (after.at.join("\0") !== from.at.join("\0")) unreadable("a cd in a loop")
      if (!differs(from, after)) return both(after)
      from = count < 2 ? after : forget(after, from)
    }
    return both(from)
  }

  #for(node: SyntaxNode, state: State): Flow {
    const body = node.children.at(-1)!
    const name = node.children.find((child) => child.type === "variable_name")
    if (!name || (body.type !== "do_group" && body.type !== "compound_statement"))
      return unreadable("a syntax that is not understood")
    const from = node.children.findIndex((child) => child.type === "in")
    const items = node.children.slice(from + 1, -1).filter((child) => child.type !== ";")
    const words =
      from < 0 ? [...(state.positional ?? [hole])].map((value) => loopWord(value)) : this.words(items, state).words
    const values = words.map((word): Value => ({ text: expandTilde(word, this.collected.home), glob: word.glob }))
    const key = this.source.slice(name.start, name.end)
    this.collected.sets(key)
    const known = values.length <= 50 && !words.some((word) => word.many)
    const rounds = known ? values : [unknownValue]
    return this.#loop(assign(state, key, unknownValue), (start) => {
      let at = start
      for (const value of rounds) {
        const flow = this.#body(body, assign(start, key, value))
        at = merge(at, merge(flow.good, flow.bad))
      }
      return both(at)
    })
  }

  #body(node: SyntaxNode, state: State): Flow {
    this.#gaps(node.children)
    return node.type === "do_group"
      ? this.#sequence(inner(node, "do", "done"), both(state))
      : this.#sequence(inner(node, "{", "}"), both(state))
  }

  #case(node: SyntaxNode, state: State): Flow {
    let flow = both(state)
    for (const child of node.children) {
      if (child.type === "case_item") {
        this.#gaps(child.children)
        const bracket = child.children.findIndex((one) => one.type === ")")
        if (bracket < 0) return unreadable("a syntax that is not understood")
        for (const pattern of child.children.slice(0, bracket)) if (pattern.named) this.survey(pattern, state)
        const from = merge(state, merge(flow.good, flow.bad))
        const body = child.children.slice(bracket + 1).filter((one) => !endings.has(one.type))
        const done = this.#sequence(body, both(from))
        flow = { good: merge(flow.good, done.good), bad: merge(flow.bad, done.bad) }
      } else if (child.named && child.type !== "comment") this.survey(child, state)
      else if (!child.named && !["case", "in", "esac", ";", "\n"].includes(child.type))
        unreadable(`the shell word ${child.type}`)
    }
    return flow
  }

  #function(node: SyntaxNode, state: State): Flow {
    const name = node.children.find((child) => child.type === "word")
    const body = node.children.find((child) => child.named && child.type !== "word" && !isRedirect(child))
    if (!name || !body) return unreadable("a syntax that is not understood")
    const key = this.source.slice(name.start, name.end)
    if (!/^[\w.:-]+$/.test(key)) unreadable("a function with an unusual name")
    this.#redirects(node.children.filter(isRedirect), state)
    const call = (from: State) => this.statement(body, from)
    this.collected.define(key, call)
    // Somebody may call it with anything: what it does then is held for done.
    const unknown = assignedIn(body, this.source).reduce((one, each) => assign(one, each, unknownValue), state)
    this.collected.calling(key, () => call({ ...unknown, positional: undefined }))
    return both({ ...state, functions: new Set([...state.functions, key]) })
  }

  #test(node: SyntaxNode, state: State, redirects: readonly SyntaxNode[]): Flow {
    const [open] = node.children
    const extra = this.#redirects(redirects, state)
    if (extra.length > 0) unreadable("a word behind a redirect")
    if (open?.type === "((") return this.#sum(node, state)
    const double = open?.type === "[["
    const leaves = leavesOf(node.children.slice(1, -1))
    const text = this.cut.original(node.start, node.end)
    if (double && /\s-(?:eq|ne|lt|le|gt|ge)\s/.test(text)) this.survey(node, state, true)
    if (/\s-[vR]\s/.test(text) && !/\s-[vR]\s+\w+\s/.test(text)) unreadable("a name that is calculated")
    const loose = leaves.filter((leaf) => leaf.type === "regex" || leaf.type === "extglob_pattern")
    for (const leaf of loose) this.survey(leaf, state)
    const kept = leaves.filter((leaf) => !loose.includes(leaf) && !(double && !leaf.named))
    const { words } = this.words(kept, state)
    const closing = double ? [] : ["]"]
    const name = double ? "[[" : "["
    const all = [name, ...closing].map((each) => ({ ...loopWord(each), raw: each }))
    return runCommand(this.collected, state, { words: [all[0]!, ...words, ...all.slice(1)], redirects: [], text })
  }

  /** `(( ))`: whatever it names is a number afterwards. */
  #sum(node: SyntaxNode, state: State): Flow {
    this.survey(node, state, true)
    return both(assignedIn(node, this.source).reduce((one, name) => assign(one, name, { text: digits }), state))
  }

  /** A simple command, with what is assigned and redirected in front of it and behind it. */
  #command(node: SyntaxNode, state: State, outer: readonly SyntaxNode[]): Flow {
    const parts = node.type === "variable_assignment" ? [node] : node.children
    this.#gaps(parts)
    const assignments = new Map<string, Value>()
    const redirects: SyntaxNode[] = []
    const runs: SyntaxNode[] = []
    for (const [index, child] of parts.entries()) {
      if (isRedirect(child)) {
        const before = parts[index - 1]
        if (before?.end === child.start && child.children[0]?.type === "file_descriptor")
          unreadable("a number in front of a redirect")
        redirects.push(child)
      } else if (child.type === "variable_assignment" && runs.length === 0) {
        const [name, value] = this.assignment(child, state, assignments)
        assignments.set(name, value)
      } else runs.push(child)
    }
    this.collected.vanished = false
    const { words, text } = this.words(runs, state)
    if (this.collected.vanished) this.collected.reasons.add("a variable as the command")
    const all = [...redirects, ...outer]
    const targets: Redirect[] = []
    const extra = this.#redirects(all, state, targets)
    return runCommand(this.collected, state, {
      words: [...words, ...extra],
      redirects: targets,
      text: [text, ...extra.map((word) => word.raw)].join(" "),
      assignments,
    })
  }

  assignment(node: SyntaxNode, state: State, earlier: ReadonlyMap<string, Value>): readonly [string, Value] {
    const [target, operator, value] = node.children
    if (!target || !operator || node.children.length > 3) return unreadable("an assignment that is not understood")
    const name = /^[A-Za-z_]\w*/.exec(this.source.slice(target.start, target.end))?.[0] ?? ""
    if (name === "" || (value && operator.end !== value.start)) unreadable("an assignment that is not understood")
    if (target.type === "subscript") this.survey(target, state, true)
    if (!value) return [name, { text: "" }]
    if (value.type === "array") {
      this.survey(value, state)
      return [name, unknownValue]
    }
    const here = [...earlier].reduce((one, [key, known]) => assign(one, key, known), state)
    const read = readValue(this.source, value.start, node.end, nodesIn([value]), this.expansions(here))
    const text =
      read.text.startsWith("~") && !/^['"\\]/.test(this.source[value.start] ?? "")
        ? tildeText(read.text, this.collected.home)
        : read.text
    if (operator.type === "=" && target.type !== "subscript") return [name, { ...read, text }]
    const old = state.variables.get(name)
    return [
      name,
      operator.type === "+=" && old && target.type !== "subscript" ? { text: old.text + text } : unknownValue,
    ]
  }

  /** The words that neighbouring nodes make: those that touch are one. */
  words(nodes: readonly SyntaxNode[], state: State): { words: Word[]; text: string } {
    const words: Word[] = []
    const raws: string[] = []
    const expansions = this.expansions(state)
    for (let index = 0; index < nodes.length;) {
      const first = index
      while (nodes[index + 1] && nodes[index + 1]!.start === nodes[index]!.end) index++
      const run = nodes.slice(first, ++index)
      const { start } = run[0]!
      const { end } = run.at(-1)!
      const raw = this.cut.original(start, end)
      raws.push(raw)
      for (const word of readWords(this.source, start, end, nodesIn(run), expansions)) words.push({ ...word, raw })
      if (words.length > 1000) unreadable("a line of too many words")
      if (words.length === 0) this.collected.vanished = true
    }
    return { words, text: raws.join(" ") }
  }

  expansions(state: State): Expansions {
    return {
      positional: state.positional,
      variable: (name) => this.collected.variable(name, state),
      substitute: (node) => this.#substitute(node, state),
      calculate: (node) => this.survey(node, state),
    }
  }

  /** Goes through the commands of a substitution. Its output, when that is plain. */
  #substitute(node: SyntaxNode, state: State): string {
    const [open] = node.children
    if (open?.type === "`" && this.source.slice(node.start + 1, node.end - 1).includes("\\"))
      return unreadable("an escape in backticks")
    const body = node.children.slice(1, -1)
    const closing = node.children.at(-1)?.type
    if (closing !== ")" && closing !== "`") return unreadable("a substitution that is not understood")
    const first = body.find((child) => child.named)
    return this.collected.nested(() => {
      if (first && isRedirect(first) && body.length === 1) {
        this.#redirects([first], state)
        return hole
      }
      const { output, input } = this.collected
      this.collected.output = undefined
      this.collected.said = undefined
      this.#sequence(body, both(state))
      const said = body.filter((child) => child.named).length === 1 ? this.collected.said : undefined
      this.collected.said = undefined
      this.collected.output = output
      this.collected.input = input
      return node.type === "process_substitution" ? `/dev/fd/${hole}` : (said ?? hole)
    })
  }

  /** Notes redirects. Returns the words behind them, which belong to the command. */
  #redirects(nodes: readonly SyntaxNode[], state: State, into?: Redirect[]): Word[] {
    const extra: Word[] = []
    const list = into ?? []
    for (const node of nodes) {
      // The tree takes what names a descriptor here for a word.
      if (/(?:^|[\s;&|()<>])(?:\d+|\{\w+\})$/.test(this.source.slice(Math.max(0, node.start - 200), node.start)))
        unreadable("a descriptor in front of a redirect")
      const heredoc = this.#heredocs.get(node.children.find((child) => child.type === "<")?.start ?? -1)
      if (heredoc) this.collected.found(heredoc)
      const operator = node.children.find((child) => !child.named)?.type ?? ""
      const rest = node.children.slice(node.children.findIndex((child) => !child.named) + 1)
      this.#gaps(node.children)
      if (heredoc) {
        this.collected.heredoc(heredoc, state)
        extra.push(...this.words(rest.slice(1), state).words)
        continue
      }
      if (operator === "<<<") {
        this.words(rest, state)
        continue
      }
      if (/^[<>]&-$/.test(operator) && rest.length === 0) continue
      const { words } = this.words(rest, state)
      const [target, ...more] = words
      extra.push(...more)
      if (!target) return unreadable("a redirect without a target")
      if (operator === "<&" || operator === ">&") {
        if (/^\d+-?$|^-$/.test(target.value)) continue
        if (operator === "<&" || !target.plain) return unreadable("a redirect to a variable descriptor")
      }
      if (!redirectOperators.has(operator)) return unreadable(`the redirect ${operator}`)
      if (/^\/dev\/(?:tcp|udp)\//.test(target.value)) return unreadable("a redirect to the network")
      list.push({ kind: operator === "<" ? "read" : "write", target })
    }
    if (!into) for (const redirect of list) this.collected.redirect(redirect, state)
    return extra
  }

  /** Goes through all that an expression runs. `sum`: its words are numbers. */
  survey(node: SyntaxNode, state: State, sum = false): void {
    const { source, collected } = this
    survey(node, sum, {
      source,
      substitute: (inside) => void this.#substitute(inside, state),
      variable: (name) => collected.variable(name, state),
    })
  }
}

const separators: ReadonlySet<string> = new Set([";", "&", "\n"])
const pipes: ReadonlySet<string> = new Set(["|", "|&"])
const endings: ReadonlySet<string> = new Set([";;", ";&", ";;&"])
const redirectOperators: ReadonlySet<string> = new Set([">", ">>", ">|", "&>", "&>>", ">&", "<"])

const isRedirect = (node: SyntaxNode): boolean => node.type === "file_redirect" || node.type === "herestring_redirect"

const loopWord = (text: string): Word => ({ raw: text, value: text, glob: false, tilde: false, plain: false })

/** What stands between an opening and a closing token. */
function inner(node: SyntaxNode, open: string, close: string): readonly SyntaxNode[] {
  if (node.children[0]?.type !== open || node.children.at(-1)?.type !== close)
    return unreadable("a syntax that is not understood")
  return node.children.slice(1, -1)
}

const substitutions: ReadonlySet<string> = new Set([
  ...["command_substitution", "process_substitution", "expansion", "arithmetic_expansion"],
])

/** The substitutions below nodes, by their start; of two with one start the outer. */
function nodesIn(nodes: readonly SyntaxNode[]): Map<number, SyntaxNode> {
  const found = new Map<number, SyntaxNode>()
  const visit = (node: SyntaxNode) => {
    if (substitutions.has(node.type)) {
      if (!found.has(node.start)) found.set(node.start, node)
    } else for (const child of node.children) visit(child)
  }
  for (const node of nodes) visit(node)
  return found
}

const wholes: ReadonlySet<string> = new Set([
  ...["word", "number", "string", "raw_string", "ansi_c_string", "translated_string", "concatenation"],
  ...["simple_expansion", "expansion", "command_substitution", "process_substitution", "arithmetic_expansion"],
  ...["regex", "extglob_pattern", "test_operator", "brace_expression", "variable_name"],
])

/** The words of an expression. */
function leavesOf(nodes: readonly SyntaxNode[]): SyntaxNode[] {
  return nodes.flatMap((node) =>
    wholes.has(node.type) || node.children.length === 0 ? [node] : leavesOf(node.children),
  )
}

/** Names that are assigned anywhere below a node. */
function assignedIn(node: SyntaxNode, source: string): string[] {
  const names = new Set<string>()
  const visit = (one: SyntaxNode) => {
    if (one.type === "variable_name") names.add(source.slice(one.start, one.end))
    for (const child of one.children) visit(child)
  }
  visit(node)
  return [...names]
}

const tildeText = (text: string, home: string): string =>
  text === "~" || text.startsWith("~/") ? home + text.slice(1) : text

const expandTilde = (word: Word, home: string): string =>
  word.tilde && !hasHole(word.value) ? tildeText(word.value, home) : word.value
