import type { SyntaxNode } from "./syntax.ts"
import { unreadable, type Value } from "./word-reader.ts"

export interface SurveyHost {
  readonly source: string
  /** Goes through the commands of a substitution. */
  substitute(node: SyntaxNode): void
  variable(name: string): Value
}

/** Goes through all that an expression runs. `sum`: its words are numbers, so that a text among them would be calculated. */
export function survey(node: SyntaxNode, sum: boolean, host: SurveyHost): void {
  const { source } = host
  const text = source.slice(node.start, node.end)
  // What the tree takes for a plain text is none when the shell would replace something in it.
  if (node.children.length === 0 && node.named && node.type !== "raw_string" && /`|\$[({[]/.test(text))
    unreadable("a substitution that is not understood")
  switch (node.type) {
    case "command_substitution":
    case "process_substitution":
      if (sum) unreadable("a calculation with what a command says")
      host.substitute(node)
      return
    case "arithmetic_expansion":
      if (/[^=!<>]=(?!=)|\+\+|--/.test(text)) unreadable("a calculation that assigns")
      for (const child of node.children) survey(child, true, host)
      return
    case "variable_name":
    case "word":
      if (sum && /^[A-Za-z_]\w*$/.test(text)) number(text, host)
      else if (sum && !/^[\w+\-*/%]*$/.test(text)) unreadable("a calculation that is not understood")
      return
    case "simple_expansion":
      if (sum) number(text.slice(1), host)
      return
    case "string":
    case "raw_string":
    case "ansi_c_string":
      if (sum && !/^["']?-?\$?\{?[\w#?]*\}?["']?$/.test(text)) unreadable("a calculation with a text")
      break
    case "subscript":
      if (!/^[A-Za-z_]\w*\[(?:[@*]|-?\d+|[A-Za-z_]\w*|\$[A-Za-z_]\w*)\]$/.test(text))
        unreadable("a place that is calculated")
      for (const child of node.children.slice(1))
        if (!/^[@*]$/.test(source.slice(child.start, child.end))) survey(child, true, host)
      return
    case "expansion":
      parameter(text)
      if (sum && !/^\$\{#?\w+(?:\[[@*]\])?\}$/.test(text)) unreadable("a calculation that is not understood")
      if (sum && !text.startsWith("${#")) number(text.slice(2, -1), host)
      for (const child of node.children) if (child.type !== "variable_name") survey(child, false, host)
      return
  }
  for (const child of node.children) survey(child, sum, host)
}

/** `${…}` with anything beside a name. */
function parameter(text: string): void {
  const rest = /^\$\{[#!]?(?:\w+|[@*#?$!-])(?:\[[^\]]*\])?([\s\S]*)\}$/.exec(text)?.[1]
  if (rest === undefined) return unreadable("an expansion that is not understood")
  if (text.startsWith("${!") && !/^\$\{!\w+(?:\[[@*]\]|[@*])\}$/.test(text)) unreadable("a variable that names another")
  if (rest.startsWith("@")) unreadable("an expansion that can run a text")
  if (/^:?=/.test(rest)) unreadable("an expansion that assigns")
  if (/^:(?![-=?+])/.test(rest) && !/^:[\s\d:-]*$/.test(rest)) unreadable("a place that is calculated")
}

function number(name: string, host: SurveyHost): void {
  const value = host.variable(name).text
  if (!/^-?[0-9\ufffe]*$/.test(value)) unreadable("a calculation with a text")
}
