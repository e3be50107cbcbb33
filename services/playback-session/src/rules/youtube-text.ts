// What others wrote on YouTube is shown to people here: without characters that hide, or turn the direction of, what follows.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Text from outside in several lines, cut at `max` characters of a string, never through a character. */
export function cleanText(text: string, max: number): string {
  const clean = text.toWellFormed().replace(hidden, '').trim()
  if (clean.length <= max) return clean
  const splitsPair = /[\ud800-\udbff]/.test(clean[max - 1]!)
  return clean.slice(0, splitsPair ? max - 1 : max).trimEnd()
}

/** The same in one line. */
export function cleanLine(text: string, max: number): string {
  return cleanText(text.replace(/\s+/g, ' '), max)
}
