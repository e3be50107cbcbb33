import {
  isCasePlaceholder,
  listCases,
  type MailPlaceholder,
  mailPlaceholder,
  mayHaveFallback,
  writePlaceholder,
} from '@watchline/contracts/mail-settings'

/** Words with placeholders, in their order. */
export type Template = readonly TemplatePart[]
/** `words` are those for each case of the placeholder, or its fallback. */
export type TemplatePart = string | { placeholder: MailPlaceholder; words?: readonly string[] }

/** The first problem of a text, as the end of a sentence that begins with the field. */
export interface TemplateProblem {
  problem: string
}

/**
 * Reads words with placeholders such as `{task}`, `{decision:approved|rejected}` or, with a
 * fallback for a value that the mail may lack, `{person:somebody}`. Doubled braces are single
 * braces of the text, except around a placeholder: other template languages write them so, and the
 * mail would show its name. The problem names the line and column, both from 1; a column counts
 * characters.
 */
export function parseTemplate(words: string, allowed: readonly MailPlaceholder[]): Template | TemplateProblem {
  const parts: TemplatePart[] = []
  let text = ''
  const addPart = (part: TemplatePart) => {
    if (text) parts.push(text)
    text = ''
    parts.push(part)
  }
  for (const match of words.matchAll(/\{\{|\}\}|\{([^{}\r\n]*)\}|[{}]|[^{}]+/g)) {
    const [token, name] = match
    const fail = (problem: string) => ({ problem: `${describePosition(words, match.index)}: ${problem}` })
    const doubled = token === '{{' && findDoubledPlaceholder(words.slice(match.index), allowed)
    if (doubled) return fail(`Write {${doubled}} with single braces.`)
    if (token === '{{' || token === '}}') text += token[0]
    else if (token === '{') return fail('“{” has no “}” in its line. Write {{ for a brace.')
    else if (token === '}') return fail('“}” has no “{” before it. Write }} for a brace.')
    else if (name === undefined) text += token
    else {
      const part = readPlaceholder(name, allowed)
      if ('problem' in part) return fail(part.problem)
      addPart(part)
    }
  }
  if (text) parts.push(text)
  return parts
}

/** Reads what stands between the braces. */
function readPlaceholder(
  content: string,
  allowed: readonly MailPlaceholder[],
): { placeholder: MailPlaceholder; words?: readonly string[] } | TemplateProblem {
  const [name = '', ...afterName] = content.split(':')
  const { data: placeholder } = mailPlaceholder.safeParse(name.trim())
  if (placeholder === undefined || !allowed.includes(placeholder))
    return { problem: `“{${content}}” is not known here. Known are ${allowed.map(writePlaceholder).join(', ')}.` }
  const words = afterName.length === 0 ? [] : afterName.join(':').split('|')
  if (!isCasePlaceholder(placeholder)) return readFallbackWords(content, placeholder, words)
  const { length } = listCases(placeholder)
  if (words.length !== length)
    return {
      problem: `“{${content}}” must have words for ${length} cases, such as ${writePlaceholder(placeholder)}.`,
    }
  return { placeholder, words: words.map(word => word.trim()) }
}

/** The fallback is used if the mail lacks the value. */
function readFallbackWords(
  content: string,
  placeholder: MailPlaceholder,
  words: readonly string[],
): { placeholder: MailPlaceholder; words?: readonly string[] } | TemplateProblem {
  const [fallback] = words
  if (fallback === undefined) return { placeholder }
  if (!mayHaveFallback(placeholder)) return { problem: `“{${content}}” has words, but {${placeholder}} takes none.` }
  if (words.length > 1)
    return {
      problem: `“{${content}}” may have only one text after the colon, for mails without this value. Remove “|”.`,
    }
  return { placeholder, words: [fallback.trim()] }
}

function findDoubledPlaceholder(words: string, allowed: readonly MailPlaceholder[]): MailPlaceholder | undefined {
  const name = /^\{\{([^{}\r\n:]*)(:[^{}\r\n]*)?\}\}/.exec(words)?.[1]?.trim()
  return allowed.find(placeholder => placeholder === name)
}

export function isTemplateProblem(template: Template | TemplateProblem): template is TemplateProblem {
  return 'problem' in template
}

export function hasPlaceholder(template: Template, placeholder: MailPlaceholder): boolean {
  return template.some(part => typeof part !== 'string' && part.placeholder === placeholder)
}

function describePosition(words: string, index: number): string {
  const lines = words.slice(0, index).split(/\r\n|\r|\n/)
  return `line ${lines.length}, column ${[...lines.at(-1)!].length + 1}`
}
