import { Table, type TableThProps } from '@mantine/core'
import styles from './sort-header.module.css'

interface SortHeaderProps<Order extends string> extends TableThProps {
  children: string
  /** The present order of the table. */
  order: Order
  /** The column's two orders. The first click chooses the first one. */
  orders: readonly [first: Order, second: Order]
  /** True if the first order has the smallest value on top. */
  startsAscending?: boolean | undefined
  onOrder: (order: Order) => void
}

/** A column header that sorts the table, and reverses the order at the second click. */
export function SortHeader<Order extends string>({
  children,
  order,
  orders: [first, second],
  startsAscending = false,
  onOrder,
  ...props
}: SortHeaderProps<Order>) {
  const isSorted = order === first || order === second
  const isAscending = (order === first) === startsAscending
  const direction = isAscending ? 'ascending' : 'descending'
  return (
    <Table.Th {...props} aria-sort={isSorted ? direction : undefined}>
      <button
        type="button"
        className={styles.button}
        data-end={props.ta === 'end' || undefined}
        onClick={() => onOrder(order === first ? second : first)}
      >
        {children}
        <span className={styles.arrow} aria-hidden="true">
          {isSorted ? (isAscending ? '↑' : '↓') : ''}
        </span>
      </button>
    </Table.Th>
  )
}

/** The present order of a table, and how to change it. */
export interface Sorting<Order extends string> {
  order: Order
  onOrder: (order: Order) => void
}

interface ColumnHeaderProps<Order extends string> extends TableThProps {
  children: string
  /** undefined: the table cannot be sorted. */
  sorting: Sorting<Order> | undefined
  orders: readonly [first: Order, second: Order]
  startsAscending?: boolean
}

/** A column header that sorts the table if the table can be sorted. */
export function ColumnHeader<Order extends string>({
  sorting,
  orders,
  startsAscending,
  children,
  ...props
}: ColumnHeaderProps<Order>) {
  if (!sorting) return <Table.Th {...props}>{children}</Table.Th>
  return (
    <SortHeader {...sorting} orders={orders} startsAscending={startsAscending} {...props}>
      {children}
    </SortHeader>
  )
}
