/** Nobody's name or address has more; what follows in a longer word is found by its beginning only. */
const maxPartsOfAWord = 12
const maxWordsWanted = 8

/** How text is compared in searches: without regard to case and accents. */
export function searchKey(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/**
 * What somebody is found by: the words of their texts, and each from each of its parts on, so that trainee.one@example.org is
 * found by `trainee.o`, `one@` and `example`, but not by `rainee`. A search is decided by the beginnings of these alone, which
 * an index can do.
 */
export function searchWords(...texts: string[]): string[] {
  const words = searchKey(texts.join(' ')).split(/\s+/).filter(Boolean)
  return [...new Set(words.flatMap(word => partsOf(word).map(start => word.slice(start))))]
}

function partsOf(word: string): number[] {
  const starts = [...word.matchAll(/[\p{L}\p{N}]+/gu)].map(match => match.index)
  return [...new Set([0, ...starts])].slice(0, maxPartsOfAWord)
}

/** The words somebody typed, each of which must be the beginning of a word of those who are found. */
export function searchTerms(search: string | undefined): string[] {
  return [...new Set(searchKey(search ?? '').split(/\s+/))].filter(Boolean).slice(0, maxWordsWanted)
}
