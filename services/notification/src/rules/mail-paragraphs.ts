import { isCasePlaceholder, type MailParagraph, type MailTextRun } from '@watchline/contracts/mail-settings'
import type { Template } from './mail-template.ts'
import { lastFallback, type MailCase, type MailValues } from './mail-values.ts'

/** The link of some words. */
export interface ParagraphLink {
  placeholder: 'link' | 'unsubscribe'
  url: string
  /** The words on the button for a link alone in its paragraph. Without them it stays a link. */
  buttonLabel?: string
}

/** Mark the link and the list within text. No value and no words can hold them. */
const linkMark = '\u0000'
const tasksMark = '\u0001'

/** A blank line begins a paragraph. Values have one line, so that they begin none. */
export function composeParagraphs(
  template: Template,
  { texts, fallbacks = {}, cases = {}, tasks = [] }: MailValues,
  { placeholder, url, buttonLabel }: ParagraphLink,
): MailParagraph[] {
  const toRuns = (line: string): MailTextRun[] =>
    line
      .split(linkMark)
      .flatMap((text, index): MailTextRun[] => [...(index > 0 ? [{ text: url, url }] : []), { text }])
      .filter(run => run.text !== '')
  const toParagraph = (lines: readonly string[]): MailParagraph =>
    buttonLabel !== undefined && lines.join() === linkMark
      ? { button: { label: buttonLabel, url } }
      : { lines: lines.map(toRuns) }
  const linked = { ...texts, [placeholder]: linkMark }
  return fillTemplate(template, { texts: linked, fallbacks, cases, tasks: `\n${tasksMark}\n` })
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map(paragraph => paragraph.split('\n').flatMap(line => (line === tasksMark ? tasks : line.trim() || [])))
    .filter(lines => lines.length > 0)
    .map(toParagraph)
}

/** The words with the values of their placeholders. */
export function fillTemplate(
  template: Template,
  { texts, fallbacks = {}, cases = {}, tasks }: Omit<MailValues, 'tasks'> & { tasks: string },
): string {
  return template
    .map(part => {
      if (typeof part === 'string') return part
      const { placeholder, words = [] } = part
      if (placeholder === 'tasks') return tasks
      if (isCasePlaceholder(placeholder)) return writeCases(words, cases[placeholder] ?? [])
      return texts[placeholder] ?? words[0] ?? fallbacks[placeholder] ?? lastFallback
    })
    .join('')
}

/** "played too fast (2×), skipped ahead (1×)". */
function writeCases(words: readonly string[], cases: readonly MailCase[]): string {
  if (cases.length === 0) return lastFallback
  return cases.map(({ index, times }) => `${words[index]}${times === undefined ? '' : ` (${times}×)`}`).join(', ')
}
