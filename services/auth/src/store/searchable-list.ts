import { limits } from '@watchline/contracts/limits'
import { cutPage } from '@watchline/kit/http/paging'
import {
  comparePageEnds,
  conditionsAfter,
  type ListOrder,
  type PageEnd,
  pageEndOf,
  toMongoSort,
} from '@watchline/kit/mongo/list-order'
import type { Model, PipelineStage, QueryFilter } from 'mongoose'
import { searchTerms } from '../rules/search.ts'

export interface Page<Row> {
  rows: Row[]
  /** The number of all matches, counted up to `limits.maxCountedTotal`. */
  total: number
  next: PageEnd | undefined
}

export interface ListQuery<Row> {
  filter: QueryFilter<Row>
  search?: string
  order: ListOrder
  after?: PageEnd
  limit: number
  /**
   * The index whose keys hold the filter and the order's fields, best in list order; undefined if
   * the filter matches only a few rows.
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
 * A collection as a searchable list.
 *
 * The cost of a search must not depend on how frequent its terms are, nor on where the matches lie.
 * MongoDB cannot choose the plan, because it reuses the plan that suited earlier terms.
 *
 * - The index `wordsIndex` holds the field that lists filter by, then `search_words`, then the
 *   fields of every order and every other filter. It finds and sorts matches by their keys alone.
 * - A search for frequent terms scans the list in order, which usually fills a page sooner.
 * - A search for several terms uses the index for the rarest and checks those rows for the others.
 */
export function createSearchableList<Row extends SearchableRow>(model: Model<Row>, wordsIndex: string) {
  const all = (conditions: object[]) => ({ $and: conditions }) as QueryFilter<Row>

  async function findRows(order: ListOrder, conditions: object[], limit: number, index?: string): Promise<Row[]> {
    const query = model.find(all(conditions), withoutSearchWords).sort(toMongoSort(order)).limit(limit).lean()
    return (await (index === undefined ? query : query.hint(index))) as unknown as Row[]
  }

  const countKeys = (conditions: object[], limit: number) =>
    model.countDocuments(all(conditions)).hint(wordsIndex).limit(limit)

  async function findPageEnds(order: ListOrder, conditions: object[], limit: number): Promise<PageEnd[]> {
    const fields = Object.fromEntries(order.fields.map(({ name }) => [name, 1]))
    const rows = model
      .find(all(conditions), { _id: 1, ...fields })
      .hint(wordsIndex)
      .limit(limit)
      .lean()
    return ((await rows) as unknown as Row[]).map(row => pageEndOf(order, row))
  }

  async function findByIds(order: ListOrder, ids: string[]): Promise<Row[]> {
    const compare = comparePageEnds(order)
    const rows = (await model.find(all([{ _id: { $in: ids } }]), withoutSearchWords).lean()) as unknown as Row[]
    return rows.toSorted((a, b) => compare(pageEndOf(order, a), pageEndOf(order, b)))
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

  async function search(filter: object, terms: string[], { order, after, limit, orderIndex }: ListQuery<Row>) {
    const conditions = await searchConditions(filter, terms)
    const later = after ? conditionsAfter(order, after) : []
    // Index keys alone count a single term. Several terms need the rows, so the count keeps their
    // places in the list.
    const ends = terms.length > 1 ? await findPageEnds(order, conditions, limits.maxCountedTotal) : undefined
    const total = ends?.length ?? (await countKeys(conditions, limits.maxCountedTotal))
    if (ends && total < limits.maxCountedTotal) {
      const compare = comparePageEnds(order)
      const page = ends.filter(end => !after || compare(after, end) < 0).sort(compare)
      const ids = page.slice(0, limit + 1).map(end => end.id)
      return { total, rows: await findByIds(order, ids) }
    }
    if (total === limits.maxCountedTotal) {
      const scan: PipelineStage[] = [
        { $match: all([filter, ...later]) },
        { $sort: toMongoSort(order) },
        { $limit: scanLimit },
        { $match: all(terms.map(hasWordStartingWith)) },
        { $limit: limit + 1 },
        { $project: withoutSearchWords },
      ]
      const rows = await model.aggregate<Row>(scan).hint(orderIndex!)
      if (rows.length > limit) return { total, rows }
    }
    return { total, rows: await findRows(order, [...conditions, ...later], limit + 1, wordsIndex) }
  }

  async function filterOnly(conditions: object[], { order, after, limit, total, orderIndex }: ListQuery<Row>) {
    const later = after ? conditionsAfter(order, after) : []
    const count = model.countDocuments(all(conditions)).limit(limits.maxCountedTotal)
    const [rows, countedTotal] = await Promise.all([
      findRows(order, [...conditions, ...later], limit + 1, orderIndex),
      total ?? (orderIndex === undefined ? count : count.hint(orderIndex)),
    ])
    return { total: countedTotal, rows }
  }

  return async (query: ListQuery<Row>): Promise<Page<Row>> => {
    const { filter, limit, order, orderIndex } = query
    const terms = searchTerms(query.search)
    const { rows, total } =
      orderIndex && terms.length > 0
        ? await search(filter, terms, query)
        : await filterOnly([filter, ...terms.map(hasWordStartingWith)], query)
    const { items, next } = cutPage(rows, limit, row => pageEndOf(order, row))
    return { rows: items, total, next }
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
