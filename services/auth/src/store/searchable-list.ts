import { limits } from '@watchline/contracts/limits'
import type { TimeCursor } from '@watchline/kit/http/paging'
import type { Model, PipelineStage, QueryFilter } from 'mongoose'
import { searchTerms } from '../rules/search.ts'

export interface Page<Row> {
  rows: Row[]
  /** How many there are in all; no more than `limits.countedAtMost` are counted. */
  total: number
  next: TimeCursor | undefined
}

export interface ListQuery<Row> {
  filter: QueryFilter<Row>
  search?: string
  after?: TimeCursor
  limit: number
  /** The name of the index that gives the filter in the list's order; none where the filter lets only few through. */
  orderIndex?: string
  /** How many there are, where that is known. */
  total?: number
}

interface Listed {
  _id: string
  search_words?: string[]
}

/** So many rows of a list are looked at for a page of those that were searched for. */
const walkedAtMost = 1_000
/** So many keys of each word are counted to tell the rarest, then so many if all words have more; those that have more yet are alike. */
const weighedAtMost = [1_000, 8_000]
/** Rows are found by them, and nobody is shown them. */
const withoutWords = { search_words: 0 } as const

/**
 * A collection as a list, newest first, that can be searched. What a search costs must not hang on how frequent its words are, nor
 * on where in the list they are met, and cannot be left to MongoDB, that keeps to the plan that was good for the words before. The
 * index `words` has the field that lists are filtered by, then `search_words`, then the list's order, so that rows are found and
 * put in order by their keys alone; where there are many, a walk along the list often meets a page sooner. Of several words the
 * index can follow one only: the rarest, whose rows are looked at for the others.
 */
export function createSearchableList<Row extends Listed>(stored: Model<Row>, time: keyof Row & string) {
  const order = { [time]: -1, _id: -1 } as const
  const all = (conditions: object[]) => ({ $and: conditions }) as QueryFilter<Row>
  const placeOf = (row: Row): TimeCursor => ({ at: (row[time] as Date).getTime(), id: row._id })
  const latestFirst = (a: TimeCursor, b: TimeCursor) => b.at - a.at || Number(a.id < b.id) - Number(a.id > b.id)
  const olderThan = ({ at, id }: TimeCursor) => ({
    $or: [{ [time]: { $lt: new Date(at) } }, { [time]: new Date(at), _id: { $lt: id } }],
  })

  const latest = (conditions: object[], most: number) =>
    stored.find(all(conditions), withoutWords).sort(order).limit(most).lean()

  const count = (conditions: object[], most: number) => stored.countDocuments(all(conditions)).hint('words').limit(most)

  async function keysOf(conditions: object[], most: number): Promise<TimeCursor[]> {
    const rows = stored
      .find(all(conditions), { _id: 1, [time]: 1 })
      .hint('words')
      .limit(most)
      .lean()
    return ((await rows) as unknown as Row[]).map(placeOf)
  }

  async function byIds(ids: string[]): Promise<Row[]> {
    const rows = (await stored.find(all([{ _id: { $in: ids } }]), withoutWords).lean()) as unknown as Row[]
    return rows.toSorted((a, b) => latestFirst(placeOf(a), placeOf(b)))
  }

  async function rarestOf(words: string[], filter: object): Promise<string> {
    let rarest = words[0]!
    for (let most of words.length > 1 ? weighedAtMost : []) {
      const bound = most
      for (const word of words) {
        // Nothing is counted beyond the fewest so far.
        const found = await count([filter, hasWordStartingWith(word)], most)
        if (found === 0) return word
        if (found < most) [rarest, most] = [word, found]
      }
      if (most < bound) break
    }
    return rarest
  }

  /** The conditions of a search: the index follows the rarest word. */
  async function byRarest(filter: object, words: string[]): Promise<object[]> {
    const rarest = await rarestOf(words, filter)
    const others = words.filter(word => word !== rarest)
    return [filter, hasWordStartingWith(rarest), ...others.map(word => unindexed(hasWordStartingWith(word)))]
  }

  async function searched(filter: object, words: string[], { after, limit, orderIndex: inOrder }: ListQuery<Row>) {
    const wanted = await byRarest(filter, words)
    const older = after ? [olderThan(after)] : []
    // One word is counted by its keys alone; rows that must be looked at for others are not looked at twice where they are few.
    const keys = words.length > 1 ? await keysOf(wanted, limits.countedAtMost) : undefined
    const total = keys?.length ?? (await count(wanted, limits.countedAtMost))
    if (keys && total < limits.countedAtMost) {
      const page = keys.filter(key => !after || latestFirst(after, key) < 0).sort(latestFirst)
      return { total, rows: await byIds(page.slice(0, limit + 1).map(key => key.id)) }
    }
    if (total === limits.countedAtMost) {
      const walk: PipelineStage[] = [
        { $match: all([filter, ...older]) },
        { $sort: order },
        { $limit: walkedAtMost },
        { $match: all(words.map(hasWordStartingWith)) },
        { $limit: limit + 1 },
        { $project: withoutWords },
      ]
      const met = await stored.aggregate<Row>(walk).hint(inOrder!)
      if (met.length > limit) return { total, rows: met }
    }
    return { total, rows: (await latest([...wanted, ...older], limit + 1).hint('words')) as unknown as Row[] }
  }

  async function plain(wanted: object[], { after, limit, total }: ListQuery<Row>) {
    const [rows, counted] = await Promise.all([
      latest(after ? [...wanted, olderThan(after)] : wanted, limit + 1),
      total ?? stored.countDocuments(all(wanted)).limit(limits.countedAtMost),
    ])
    return { total: counted, rows: rows as unknown as Row[] }
  }

  return async (asked: ListQuery<Row>): Promise<Page<Row>> => {
    const { filter, search, limit, orderIndex: inOrder } = asked
    const words = searchTerms(search)
    const { rows, total } =
      inOrder && words.length > 0
        ? await searched(filter, words, asked)
        : await plain([filter, ...words.map(hasWordStartingWith)], asked)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return { rows: shown, total, next: rows.length > limit && last ? placeOf(last) : undefined }
  }
}

/** Those who have a word that begins like this. */
export function hasWordStartingWith(word: string) {
  return { search_words: { $regex: `^${word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}` } }
}

/** The same, but MongoDB, that never uses an index for the opposite, does not try one for it. */
const unindexed = (condition: ReturnType<typeof hasWordStartingWith>) => ({
  $nor: [{ search_words: { $not: condition.search_words } }],
})
