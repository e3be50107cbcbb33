import { z } from 'zod'
import { useRememberedChoice } from './remembered-choice.ts'
import type { Sorting } from './sort-header.tsx'

/** An order that the server applies to the whole list, such as "name asc". */
export type ServerOrder<Sort extends string> = `${Sort} ${'asc' | 'desc'}`

/** Both orders by a field, smallest value first; for the header of its column. */
export function ascendingFirst<Sort extends string>(sort: Sort) {
  return { orders: [`${sort} asc`, `${sort} desc`] as const, startsAscending: true }
}

/** Both orders by a field, greatest value first. */
export function descendingFirst<Sort extends string>(sort: Sort) {
  return { orders: [`${sort} desc`, `${sort} asc`] as const, startsAscending: false }
}

export interface ServerSorting<Sort extends string> {
  sorting: Sorting<ServerOrder<Sort>>
  /** The order in the words of the API. */
  query: { sort: Sort; order: 'asc' | 'desc' }
}

/** The remembered order of a list with pages, whose headers have the server sort all of it. */
export function useServerOrder<Sort extends string>(
  name: string,
  sorts: readonly Sort[],
  initial: ServerOrder<Sort>,
): ServerSorting<Sort> {
  const allOrders = sorts.flatMap(sort => [...ascendingFirst(sort).orders])
  const [order, onOrder] = useRememberedChoice<ServerOrder<Sort>>(name, z.enum(allOrders), initial)
  const [sort, direction] = order.split(' ') as [Sort, 'asc' | 'desc']
  return { sorting: { order, onOrder }, query: { sort, order: direction } }
}
