import { readCursor } from '@watchline/kit/http/paging'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import type { AuthContext } from '../context.ts'
import { type DirectoryPage, type DirectoryQuery, type PeopleSort, peopleOrder } from '../store/people-directory.ts'

/** The choices that every list of people offers. */
interface PageQuery {
  search?: string | undefined
  sort?: PeopleSort
  order?: 'asc' | 'desc'
  limit: number
  cursor?: string | undefined
}

type PeopleFilter = Omit<DirectoryQuery, 'search' | 'sort' | 'order' | 'limit' | 'after'>

/** A page of the people who match the filter; by name if the query has no order. */
export function listPeople(
  { directory }: Pick<AuthContext, 'directory'>,
  { search, sort = 'name', order = 'asc', limit, cursor }: PageQuery,
  filter: PeopleFilter,
): Promise<DirectoryPage> {
  const after = readCursor(cursor, pageEndSchema(peopleOrder({ sort, order })))
  return directory.list({ ...filter, search, sort, order, limit, after })
}
