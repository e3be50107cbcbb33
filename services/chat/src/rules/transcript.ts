export interface Line {
  at: Date
  name: string
  text: string
}

export function transcriptHead(one: string, other: string): string {
  return `Chat between ${oneLine(one)} and ${oneLine(other)}\n`
}

/** Further lines of a message are indented: no text can look like the message of somebody else. */
export function transcriptLine({ at, name, text }: Line): string {
  return `\n${at.toISOString()} ${oneLine(name)}: ${text.replace(lineBreaks, '\n    ')}`
}

const lineBreaks = /\r\n|[\n\r\u0085\u2028\u2029]/g

function oneLine(text: string): string {
  return text.replace(lineBreaks, ' ')
}
