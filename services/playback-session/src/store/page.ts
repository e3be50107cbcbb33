import { cutPage, type TimeCursor } from '@watchline/kit/http/paging'

/** Asks for a page of a list that is sorted by date, newest first. */
export interface PageRequest {
  limit: number
  after?: TimeCursor | undefined
}

export interface Page<T> {
  items: T[]
  /** Cursor of the next page; absent on the last page. */
  next?: TimeCursor
  total: number
}

/** The filter of rows after the cursor, for an index of (date, _id) descending. */
export function filterAfter(dateField: string, after: TimeCursor | undefined): Record<string, unknown> {
  if (!after) return {}
  const at = new Date(after.at)
  return {
    [dateField]: { $lte: at },
    $and: [{ $or: [{ [dateField]: { $lt: at } }, { _id: { $lt: after.id } }] }],
  }
}

/** `rows` holds one row more than `limit` if there is a next page. */
export function pageOf<T>(rows: T[], limit: number, total: number, cursorOf: (item: T) => TimeCursor): Page<T> {
  return { ...cutPage(rows, limit, cursorOf), total }
}
