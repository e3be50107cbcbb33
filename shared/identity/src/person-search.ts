import type { Person } from '@watchline/kit/http/caller'
import { nameKey } from './name-key.ts'

/**
 * Finds people in memory as the lists of auth do. Each search term must begin a word, or a later
 * part of a word, in the name or email address.
 */
export function createPersonMatcher(search: string): (person: Pick<Person, 'name' | 'email'>) => boolean {
  const terms = nameKey(search).split(/\s+/).filter(Boolean)
  return ({ name, email }) => {
    const text = nameKey(`${name} ${email}`)
    return terms.every(term => beginsWord(text, term))
  }
}

function beginsWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return true
  return false
}
