import { Button, Table } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { ReactNode } from 'react'
import { Avatar } from '../../../ui/avatar.tsx'
import { ascendingFirst, type ServerOrder } from '../../../ui/server-order.ts'
import { ColumnHeader, type Sorting } from '../../../ui/sort-header.tsx'
import styles from './people-table.module.css'

/**
 * A column beside the person. On a phone its content is below the email address. `Sort` are the
 * fields by which the server orders the list.
 */
export interface PeopleColumn<Sort extends string> {
  name: string
  width: string
  /** The orders of its header, absent if it has none. */
  sort?: { orders: readonly [ServerOrder<Sort>, ServerOrder<Sort>]; startsAscending: boolean }
  cell: (person: User) => ReactNode
  /** The content on a phone, if it differs because there is no heading. null shows nothing. */
  narrowCell?: (person: User) => ReactNode
}

interface PeopleTableProps<Sort extends string> {
  people: readonly User[]
  columns: readonly PeopleColumn<Sort>[]
  sorting: Sorting<ServerOrder<Sort | 'name'>>
  onManage: (person: User) => void
  /** The people answer the previous query. */
  stale?: boolean
}

export function PeopleTable<Sort extends string>({
  people,
  columns,
  sorting,
  onManage,
  stale,
}: PeopleTableProps<Sort>) {
  return (
    <div className={styles.card} aria-busy={stale}>
      <Table className={styles.table} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <ColumnHeader sorting={sorting} {...ascendingFirst('name')}>
              Person
            </ColumnHeader>
            {columns.map(({ name, width, sort }) =>
              sort ? (
                <ColumnHeader key={name} sorting={sorting} {...sort} className={styles.column} w={width}>
                  {name}
                </ColumnHeader>
              ) : (
                <Table.Th key={name} className={styles.column} w={width}>
                  {name}
                </Table.Th>
              ),
            )}
            <Table.Th className={styles.manage}>
              <span className="wl-hidden">Manage</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {people.map(person => (
            <Table.Tr key={person.id}>
              <Table.Td>
                <Person person={person} columns={columns} />
              </Table.Td>
              {columns.map(({ name, cell }) => (
                <Table.Td key={name} className={styles.column}>
                  {cell(person)}
                </Table.Td>
              ))}
              <Table.Td className={styles.manage}>
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => onManage(person)}
                  aria-label={`Manage ${person.name}`}
                >
                  Manage
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function Person({ person, columns }: { person: User; columns: readonly PeopleColumn<string>[] }) {
  return (
    <div className={styles.person}>
      <Avatar id={person.id} name={person.name} picture={person.picture} size={36} />
      <div className={styles.words}>
        <span className={styles.nameLine}>
          <span className={styles.name} title={person.name}>
            {person.name}
          </span>
          {person.invited ? (
            <span className={styles.invited} title="Imported; has not signed in yet">
              Invited
            </span>
          ) : null}
        </span>
        <span className={styles.email} title={person.email}>
          {person.email}
        </span>
        <span className={styles.narrow}>
          {columns.map(({ name, cell, narrowCell = cell }) => {
            const content = narrowCell(person)
            return content === null ? null : (
              <span key={name} className={styles.fact}>
                {content}
              </span>
            )
          })}
        </span>
      </div>
    </div>
  )
}

/** Text cut to the available width, with the full text on hover. */
export function TruncatedText({ children }: { children: string }) {
  return (
    <span className={styles.cut} title={children}>
      {children}
    </span>
  )
}
