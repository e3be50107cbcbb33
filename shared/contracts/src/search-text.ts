/** The text by which searches compare: without case, accents and outer blanks. */
export function nameKey(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/** Whether one of the texts contains the search, as the server's searches of names do. */
export function matchesSearch(search: string, ...texts: readonly string[]): boolean {
  const key = nameKey(search)
  return texts.some(text => nameKey(text).includes(key))
}
