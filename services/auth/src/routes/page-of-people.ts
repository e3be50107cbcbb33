import { readCursor } from '@watchline/kit/http/paging'
import { pageEndSchema } from '../store/list-order.ts'
import { type DirectoryQuery, type PeopleSort, peopleOrder } from '../store/people-directory.ts'

interface PageQuery {
  search?: string | undefined
  sort?: PeopleSort
  order?: 'asc' | 'desc'
  limit: number
  cursor?: string | undefined
}

/** The page that a query of a list of people asks for; by name without an order. */
export function pageOfPeople(query: PageQuery): Pick<DirectoryQuery, 'search' | 'sort' | 'order' | 'limit' | 'after'> {
  const { search, sort = 'name', order = 'asc', limit, cursor } = query
  return { search, sort, order, limit, after: readCursor(cursor, pageEndSchema(peopleOrder({ sort, order }))) }
}
