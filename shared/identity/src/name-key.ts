import { nameKey } from '@watchline/contracts/search-text'

export { nameKey }

/** The most digits that count as a number's length. */
const maxMarker = 31
const lengthMarker = (digits: string) =>
  String.fromCharCode(Math.min(Math.max(digits.replace(/^0+/, '').length, 1), maxMarker))

/**
 * The key by which lists order names, stored as `name_key`: numbers in it count as numbers. A
 * control character with the number of digits stands before each number, so that a comparison of
 * bytes puts "Trainee 9" before "Trainee 10".
 */
export function orderKey(name: string): string {
  return nameKey(name).replace(/\d+/g, digits => lengthMarker(digits) + digits)
}

/** A cursor must have room for the key. Texts with equal beginnings of this length are rare. */
const listKeyMaxLength = 200

/** The key by which lists with pages order a name or title: the beginning of its `orderKey`. */
export function listOrderKey(text: string): string {
  // The cut may halve a character, which MongoDB would store as another one.
  return orderKey(text).slice(0, listKeyMaxLength).toWellFormed()
}

/** Matches stored keys that earlier versions wrote without markers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: markers are control characters
export const unmarkedNumber = /(?:^|[^\x01-\x1f\d])\d/

/** A pattern that finds the searched text in stored keys, with and without markers. */
export function searchPattern(search: string): string {
  return nameKey(search)
    .split(/(\d+)/)
    .map((part, index) => (index % 2 === 1 ? `[\\x01-\\x1f]?${part}` : escapeRegex(part)))
    .join('')
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

export interface NamedItem {
  id: string
  name: string
}

/**
 * Compares by name, then by id, in the order of MongoDB's index of `name_key` and `_id`: by the
 * bytes of their UTF-8 text. JavaScript's own comparison orders characters beyond U+FFFF
 * differently.
 */
export function compareByName(first: NamedItem, second: NamedItem): number {
  const [firstKey, secondKey] = [orderKey(first.name), orderKey(second.name)]
  return firstKey === secondKey ? compareBytes(first.id, second.id) : compareBytes(firstKey, secondKey)
}

/** The bytes that {@link compareByName} compares, made once for a sort. */
export interface SortKey {
  name: Buffer
  id: Buffer
}

export function toSortKey({ id, name }: NamedItem): SortKey {
  return { name: Buffer.from(orderKey(name)), id: Buffer.from(id) }
}

export function compareSortKeys(first: SortKey, second: SortKey): number {
  return Buffer.compare(first.name, second.name) || Buffer.compare(first.id, second.id)
}

/** In the order of {@link compareByName}. The key of each name is made once. */
export function sortByName<Item extends NamedItem>(items: readonly Item[]): Item[] {
  return items
    .map(item => ({ item, key: toSortKey(item) }))
    .sort((first, second) => compareSortKeys(first.key, second.key))
    .map(({ item }) => item)
}

function compareBytes(first: string, second: string): number {
  return Buffer.compare(Buffer.from(first), Buffer.from(second))
}
