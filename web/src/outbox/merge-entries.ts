import type { OutboxEntry } from './outbox-types.ts'

/**
 * Merges the entries in memory (`current`) with those of the storage (`found`, in order). `isGone`:
 * the entry was stored when the read began, so another tab has removed it if it is not found.
 * Answers the same array if nothing changed.
 */
export function mergeEntries<Call>(
  current: readonly OutboxEntry<Call>[],
  found: readonly OutboxEntry<Call>[],
  isGone: (entry: OutboxEntry<Call>) => boolean,
  isAccepted: (entry: OutboxEntry<Call>) => boolean,
): readonly OutboxEntry<Call>[] {
  const order = new Map(found.map(({ id }, index) => [id, index]))
  const known = new Set(current.map(({ id }) => id))
  const merged = current.filter(entry => order.has(entry.id) || !isGone(entry))
  const arrived = found.filter(entry => !known.has(entry.id) && isAccepted(entry))
  if (arrived.length === 0 && merged.length === current.length) return current
  for (const entry of arrived) {
    const behind = merged.findIndex(({ id }) => (order.get(id) ?? found.length) > order.get(entry.id)!)
    merged.splice(behind < 0 ? merged.length : behind, 0, entry)
  }
  return merged
}
