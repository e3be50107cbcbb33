import { limits } from '@watchline/contracts/limits'
import type { TimeCursor } from '@watchline/kit/http/paging'
import type { Model, PipelineStage, QueryFilter } from 'mongoose'
import { searchTerms } from '../rules/search.ts'

export interface Page<Row> {
  rows: Row[]
  /** The number of all matches, counted up to `limits.maxCountedTotal`. */
  total: number
  next: TimeCursor | undefined
}

export interface ListQuery<Row> {
  filter: QueryFilter<Row>
  search?: string
  after?: TimeCursor
  limit: number
  /**
   * The index that yields the filter in list order; undefined if the filter matches only a few
   * rows.
   */
  orderIndex?: string
  /** The number of all matches, if known. */
  total?: number
}

interface SearchableRow {
  _id: string
  search_words?: string[]
}

/** The number of rows that a search scans in list order for one page. */
const scanLimit = 1_000
/**
 * Index keys counted for each term to find the rarest; the second limit applies if all terms exceed
 * the first.
 */
const termCountLimits = [1_000, 8_000]
/** Search words serve queries only, so results leave them out. */
const withoutSearchWords = { search_words: 0 } as const

/**
 * A collection as a searchable list, newest first.
 *
 * The cost of a search must not depend on how frequent its terms are, nor on where the matches lie.
 * MongoDB cannot choose the plan, because it reuses the plan that suited earlier terms.
 *
 * - The index `words` holds the field that lists filter by, then `search_words`, then the list
 *   order. It finds and sorts matches by their keys alone.
 * - A search for frequent terms scans the list in order, which usually fills a page sooner.
 * - A search for several terms uses the index for the rarest and checks those rows for the others.
 */
export function createSearchableList<Row extends SearchableRow>(model: Model<Row>, timeField: keyof Row & string) {
  const listOrder = { [timeField]: -1, _id: -1 } as const
  const all = (conditions: object[]) => ({ $and: conditions }) as QueryFilter<Row>
  const cursorOf = (row: Row): TimeCursor => ({ at: (row[timeField] as Date).getTime(), id: row._id })
  const newestFirst = (a: TimeCursor, b: TimeCursor) => b.at - a.at || Number(a.id < b.id) - Number(a.id > b.id)
  const olderThan = ({ at, id }: TimeCursor) => ({
    $or: [{ [timeField]: { $lt: new Date(at) } }, { [timeField]: new Date(at), _id: { $lt: id } }],
  })

  const findNewest = (conditions: object[], limit: number) =>
    model.find(all(conditions), withoutSearchWords).sort(listOrder).limit(limit).lean()

  const countKeys = (conditions: object[], limit: number) =>
    model.countDocuments(all(conditions)).hint('words').limit(limit)

  async function findCursors(conditions: object[], limit: number): Promise<TimeCursor[]> {
    const rows = model
      .find(all(conditions), { _id: 1, [timeField]: 1 })
      .hint('words')
      .limit(limit)
      .lean()
    return ((await rows) as unknown as Row[]).map(cursorOf)
  }

  async function findByIds(ids: string[]): Promise<Row[]> {
    const rows = (await model.find(all([{ _id: { $in: ids } }]), withoutSearchWords).lean()) as unknown as Row[]
    return rows.toSorted((a, b) => newestFirst(cursorOf(a), cursorOf(b)))
  }

  async function findRarestTerm(terms: string[], filter: object): Promise<string> {
    let rarest = terms[0]!
    for (const countLimit of terms.length > 1 ? termCountLimits : []) {
      let fewest = countLimit
      for (const term of terms) {
        // The count may stop at the fewest keys so far.
        const count = await countKeys([filter, hasWordStartingWith(term)], fewest)
        if (count === 0) return term
        if (count < fewest) [rarest, fewest] = [term, count]
      }
      if (fewest < countLimit) break
    }
    return rarest
  }

  /** The conditions of a search, such that MongoDB uses the index for the rarest term. */
  async function searchConditions(filter: object, terms: string[]): Promise<object[]> {
    const rarest = await findRarestTerm(terms, filter)
    const remaining = terms.filter(term => term !== rarest)
    return [filter, hasWordStartingWith(rarest), ...remaining.map(term => withoutIndex(hasWordStartingWith(term)))]
  }

  async function search(filter: object, terms: string[], { after, limit, orderIndex }: ListQuery<Row>) {
    const conditions = await searchConditions(filter, terms)
    const older = after ? [olderThan(after)] : []
    // Index keys alone count a single term. Several terms need the rows, so the count keeps their
    // cursors.
    const cursors = terms.length > 1 ? await findCursors(conditions, limits.maxCountedTotal) : undefined
    const total = cursors?.length ?? (await countKeys(conditions, limits.maxCountedTotal))
    if (cursors && total < limits.maxCountedTotal) {
      const page = cursors.filter(cursor => !after || newestFirst(after, cursor) < 0).sort(newestFirst)
      return { total, rows: await findByIds(page.slice(0, limit + 1).map(cursor => cursor.id)) }
    }
    if (total === limits.maxCountedTotal) {
      const scan: PipelineStage[] = [
        { $match: all([filter, ...older]) },
        { $sort: listOrder },
        { $limit: scanLimit },
        { $match: all(terms.map(hasWordStartingWith)) },
        { $limit: limit + 1 },
        { $project: withoutSearchWords },
      ]
      const rows = await model.aggregate<Row>(scan).hint(orderIndex!)
      if (rows.length > limit) return { total, rows }
    }
    const rows = await findNewest([...conditions, ...older], limit + 1).hint('words')
    return { total, rows: rows as unknown as Row[] }
  }

  async function filterOnly(conditions: object[], { after, limit, total }: ListQuery<Row>) {
    const [rows, count] = await Promise.all([
      findNewest(after ? [...conditions, olderThan(after)] : conditions, limit + 1),
      total ?? model.countDocuments(all(conditions)).limit(limits.maxCountedTotal),
    ])
    return { total: count, rows: rows as unknown as Row[] }
  }

  return async (query: ListQuery<Row>): Promise<Page<Row>> => {
    const { filter, limit, orderIndex } = query
    const terms = searchTerms(query.search)
    const { rows, total } =
      orderIndex && terms.length > 0
        ? await search(filter, terms, query)
        : await filterOnly([filter, ...terms.map(hasWordStartingWith)], query)
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return { rows: page, total, next: rows.length > limit && last ? cursorOf(last) : undefined }
  }
}

/** Matches rows with a search word that starts with `prefix`. */
export function hasWordStartingWith(prefix: string) {
  return { search_words: { $regex: `^${prefix.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}` } }
}

/** The same condition as a double negation, for which MongoDB never tries an index. */
const withoutIndex = (condition: ReturnType<typeof hasWordStartingWith>) => ({
  $nor: [{ search_words: { $not: condition.search_words } }],
})
