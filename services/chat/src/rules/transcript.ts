export interface TranscriptLine {
  at: Date
  name: string
  text: string
}

export function formatTranscriptHead(firstName: string, secondName: string): string {
  return `Chat between ${onOneLine(firstName)} and ${onOneLine(secondName)}\n`
}

/** Indents the further lines of a message, so that no text looks like another person's message. */
export function formatTranscriptLine({ at, name, text }: TranscriptLine): string {
  return `\n${at.toISOString()} ${onOneLine(name)}: ${text.replace(lineBreaks, '\n    ')}`
}

const lineBreaks = /\r\n|[\n\r\u0085\u2028\u2029]/g

function onOneLine(text: string): string {
  return text.replace(lineBreaks, ' ')
}
