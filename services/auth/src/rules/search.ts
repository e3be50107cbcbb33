/** Parts of a word that a search can start at. Real names and addresses have fewer. */
const maxPartsOfWord = 12
const maxTerms = 8

/** The form in which texts are compared: without case and accents. */
export function searchKey(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/**
 * The search words of texts: every word, and its rest from each of its parts on. So `trainee.o`,
 * `one@` and `example` find trainee.one@example.org, but `rainee` does not. A search compares the
 * beginnings of these words only, so an index can answer it.
 */
export function searchWords(...texts: string[]): string[] {
  const words = searchKey(texts.join(' ')).split(/\s+/).filter(Boolean)
  return [...new Set(words.flatMap(word => partStarts(word).map(start => word.slice(start))))]
}

function partStarts(word: string): number[] {
  const starts = [...word.matchAll(/[\p{L}\p{N}]+/gu)].map(match => match.index)
  return [...new Set([0, ...starts])].slice(0, maxPartsOfWord)
}

/** The terms of a search. Each must be the beginning of one of a match's search words. */
export function searchTerms(search: string | undefined): string[] {
  return [...new Set(searchKey(search ?? '').split(/\s+/))].filter(Boolean).slice(0, maxTerms)
}
