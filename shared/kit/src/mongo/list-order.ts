import { z } from 'zod'

interface OrderField {
  name: string
  type: 'text' | 'count' | 'seconds' | 'time'
}

/** The order of a list: its fields, the most important one first. `_id` decides between equals. */
export interface ListOrder {
  fields: readonly OrderField[]
  direction: 1 | -1
}

/** The end of a page: the values of its last row in the order's fields, times in ms, and the id. */
export interface PageEnd {
  /** The names of the fields, because a position in one order means nothing in another. */
  by: string
  values: (string | number)[]
  id: string
}

const valueSchemas = {
  text: z.string().max(1_000),
  count: z.number().int(),
  seconds: z.number(),
  time: z.number().int().min(0).max(8.64e15),
} satisfies Record<OrderField['type'], z.ZodType<string | number>>

const fieldNames = ({ fields }: ListOrder) => fields.map(({ name }) => name).join()

/** The schema of this order's page ends. It holds in both directions, and in no other order. */
export function pageEndSchema(order: ListOrder): z.ZodType<PageEnd> {
  const values = order.fields.map(({ type }) => valueSchemas[type])
  return z.object({
    by: z.literal(fieldNames(order)),
    values: z
      .array(z.union([z.string(), z.number()]))
      .length(values.length)
      .refine(items => items.every((item, index) => values[index]!.safeParse(item).success)),
    id: z.string().regex(/^[\w:-]{1,150}$/),
  })
}

export function pageEndOf(order: ListOrder, row: { _id: string }): PageEnd {
  const stored = row as Record<string, unknown>
  const values = order.fields.map(({ name, type }) => {
    if (type === 'time') return (stored[name] as Date).getTime()
    // A row without the field, of an earlier version, comes first.
    return (stored[name] as string | number | undefined) ?? (type === 'text' ? '' : 0)
  })
  return { by: fieldNames(order), values, id: row._id }
}

/** The order as MongoDB sorts by it. */
export function toMongoSort({ fields, direction }: ListOrder): Record<string, 1 | -1> {
  return Object.fromEntries([...fields.map(({ name }) => [name, direction]), ['_id', direction]])
}

/** Matches the rows behind a page. The first condition bounds the scan of the order's index. */
export function conditionsAfter({ fields, direction }: ListOrder, end: PageEnd): object[] {
  const comparison = direction === 1 ? '$gt' : '$lt'
  const position = [
    ...fields.map(({ name, type }, index): [string, unknown] => {
      const value = end.values[index]!
      return [name, type === 'time' ? new Date(value) : value]
    }),
    ['_id', end.id] as [string, unknown],
  ]
  const [firstName, firstValue] = position[0]!
  return [
    { [firstName]: { [`${comparison}e`]: firstValue } },
    {
      $or: position.map(([name, value], index) => ({
        ...Object.fromEntries(position.slice(0, index)),
        [name]: { [comparison]: value },
      })),
    },
  ]
}

/** Compares the ends of pages as MongoDB compares their rows: texts by the bytes of their UTF-8. */
export function comparePageEnds({ direction }: ListOrder): (first: PageEnd, second: PageEnd) => number {
  return (first, second) => {
    const pairs = [...first.values, first.id].map((value, index) => [value, [...second.values, second.id][index]!])
    for (const [a, b] of pairs) {
      const comparison =
        typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
      if (comparison !== 0) return direction * comparison
    }
    return 0
  }
}
