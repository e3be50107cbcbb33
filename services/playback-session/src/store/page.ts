import type { TimeCursor } from '@watchline/kit/http/paging'

/** A part of a list that is newest first: what comes after `after`, and one more than asked to tell whether there is more. */
export interface PageRequest {
  limit: number
  after?: TimeCursor | undefined
}

export interface Page<T> {
  items: T[]
  /** Where to go on, absent at the end. */
  next?: TimeCursor
  total: number
}

/** The part of a filter that starts a page, over an index of (date, _id) descending. */
export function afterPlace(dateField: string, after: TimeCursor | undefined): Record<string, unknown> {
  if (!after) return {}
  const at = new Date(after.at)
  return {
    [dateField]: { $lte: at },
    $and: [{ $or: [{ [dateField]: { $lt: at } }, { _id: { $lt: after.id } }] }],
  }
}

export function pageOf<T>(rows: T[], limit: number, total: number, placeOf: (item: T) => TimeCursor): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, total, ...(rows.length > limit && last !== undefined && { next: placeOf(last) }) }
}
