/**
 * The key by which lists order and search names: without case, accents and outer blanks. Stored as
 * `name_key`.
 */
export function nameKey(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
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
  const [firstKey, secondKey] = [nameKey(first.name), nameKey(second.name)]
  return firstKey === secondKey ? compareBytes(first.id, second.id) : compareBytes(firstKey, secondKey)
}

function compareBytes(first: string, second: string): number {
  return Buffer.compare(Buffer.from(first), Buffer.from(second))
}
