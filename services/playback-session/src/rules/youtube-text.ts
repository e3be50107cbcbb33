// Texts from YouTube may hold characters that hide the following text or reverse its direction.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const hiddenCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g

/**
 * Cleans text of several lines and cuts it to `max` UTF-16 units, never inside a surrogate pair.
 */
export function cleanText(text: string, max: number): string {
  const clean = text.toWellFormed().replace(hiddenCharacters, '').trim()
  if (clean.length <= max) return clean
  const splitsPair = /[\ud800-\udbff]/.test(clean[max - 1]!)
  return clean.slice(0, splitsPair ? max - 1 : max).trimEnd()
}

/** Like {@link cleanText}, joined to one line. */
export function cleanLine(text: string, max: number): string {
  return cleanText(text.replace(/\s+/g, ' '), max)
}
