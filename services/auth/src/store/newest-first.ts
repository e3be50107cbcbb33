import { limits } from '@watchline/contracts/limits'
import type { Model, QueryFilter } from 'mongoose'
import { wantedWords } from '../rules/search.ts'

/** The place after a page: the time of its last row in ms, and its id. */
export interface Position {
  at: number
  id: string
}

export interface Page<Row> {
  rows: Row[]
  /** How many there are in all; no more than `limits.countedAtMost` are counted. */
  total: number
  next: Position | undefined
}

export interface Asked<Row> {
  filter: QueryFilter<Row>
  search?: string
  after?: Position
  limit: number
  /** The name of the index that gives the filter in the list's order; none where the filter lets only few through. */
  inOrder?: string
}

/** What these lists look at, besides a row's time. The index on `search_words` is called `search`. */
interface Listed {
  _id: string
  search_words?: string[]
}

/**
 * A collection as a list, newest first, that can be searched. Neither a rare nor a frequent word makes MongoDB go through
 * everything: few rows are found by their words and put in order; of many, a walk along the list soon meets a page. Which it is
 * cannot be left to MongoDB, that keeps to the plan that was good for the word before.
 */
export function newestFirst<Row extends Listed>(stored: Model<Row>, time: keyof Row & string) {
  const order = { [time]: -1, _id: -1 } as const
  const all = (conditions: object[]) => ({ $and: conditions }) as QueryFilter<Row>
  const olderThan = ({ at, id }: Position) => ({
    $or: [{ [time]: { $lt: new Date(at) } }, { [time]: new Date(at), _id: { $lt: id } }],
  })

  return async ({ filter, search, after, limit, inOrder }: Asked<Row>): Promise<Page<Row>> => {
    const words = wantedWords(search)
    const wanted = [filter, ...words.map(beginningWith)]
    const total = await stored.countDocuments(all(wanted)).limit(limits.countedAtMost)
    const page = stored
      .find(all(after ? [...wanted, olderThan(after)] : wanted))
      .sort(order)
      .limit(limit + 1)
    if (inOrder && words.length > 0) page.hint(total < limits.countedAtMost ? 'search' : inOrder)
    const rows = (await page.lean()) as unknown as Row[]
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = rows.length > limit && last ? { at: (last[time] as Date).getTime(), id: last._id } : undefined
    return { rows: shown, total, next }
  }
}

/** Those who have a word that begins like this. */
export function beginningWith(word: string) {
  return { search_words: { $regex: `^${word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}` } }
}
