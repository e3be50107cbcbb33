/**
 * Without control characters: JSON writers escape them differently, and those for the direction of
 * text could show a name as another one.
 */
export function toPrintable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
}
