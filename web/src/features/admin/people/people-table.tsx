import { Button, Checkbox, Table } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { ReactNode } from 'react'
import { ascendingFirst, type ServerOrder } from '../../../ui/lists/server-order.ts'
import { ColumnHeader, type Sorting } from '../../../ui/lists/sort-header.tsx'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { UnverifiedMark } from '../../../ui/people/unverified-mark.tsx'
import styles from './people-table.module.css'
import type { SelectedPeople } from './use-selected-people.ts'

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
  /** On a tablet, too, its content is below the email address, because names need the room. */
  isHiddenOnTablet?: boolean
  /**
   * The content below the email address, if it differs because there is no heading. null shows
   * nothing.
   */
  narrowCell?: (person: User) => ReactNode
}

interface PeopleTableProps<Sort extends string> {
  people: readonly User[]
  columns: readonly PeopleColumn<Sort>[]
  sorting: Sorting<ServerOrder<Sort | 'name'>>
  /** Absent if nobody can be selected. */
  selected?: SelectedPeople | undefined
  onManage: (person: User) => void
  /** The people answer the previous query. */
  stale?: boolean
}

export function PeopleTable<Sort extends string>({
  people,
  columns,
  sorting,
  selected,
  onManage,
  stale,
}: PeopleTableProps<Sort>) {
  return (
    <div className={styles.card} aria-busy={stale}>
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            {selected ? (
              <Table.Th className={styles.select}>
                <SelectPage people={people} selected={selected} />
              </Table.Th>
            ) : null}
            <ColumnHeader sorting={sorting} {...ascendingFirst('name')}>
              Person
            </ColumnHeader>
            {columns.map(({ name, width, sort, isHiddenOnTablet }) =>
              sort ? (
                <ColumnHeader
                  key={name}
                  sorting={sorting}
                  {...sort}
                  className={columnClass(isHiddenOnTablet)}
                  w={width}
                >
                  {name}
                </ColumnHeader>
              ) : (
                <Table.Th key={name} className={columnClass(isHiddenOnTablet)} w={width}>
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
              {selected ? (
                <Table.Td className={styles.select}>
                  {selected.canSelect(person) ? (
                    <Checkbox
                      aria-label={`Select ${person.name}`}
                      checked={selected.has(person.id)}
                      onChange={event => selected.select([person], event.currentTarget.checked)}
                    />
                  ) : null}
                </Table.Td>
              ) : null}
              <Table.Td>
                <Person person={person} columns={columns} />
              </Table.Td>
              {columns.map(({ name, cell, isHiddenOnTablet }) => (
                <Table.Td key={name} className={columnClass(isHiddenOnTablet)}>
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

const columnClass = (isHiddenOnTablet: boolean | undefined) =>
  isHiddenOnTablet ? `${styles.column} ${styles.wide}` : styles.column

/** Selects everybody on the page who can be selected, or nobody. */
function SelectPage({ people, selected }: { people: readonly User[]; selected: SelectedPeople }) {
  const selectable = people.filter(selected.canSelect)
  const selectedCount = selectable.filter(({ id }) => selected.has(id)).length
  return (
    <Checkbox
      aria-label="Select all on this page"
      disabled={selectable.length === 0}
      checked={selectable.length > 0 && selectedCount === selectable.length}
      indeterminate={selectedCount > 0 && selectedCount < selectable.length}
      onChange={event => selected.select(selectable, event.currentTarget.checked)}
    />
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
            <span className={styles.mark} title="Imported; has not signed in yet">
              Invited
            </span>
          ) : null}
          {person.deactivated_at ? <span className={styles.mark}>Deactivated</span> : null}
        </span>
        <span className={styles.emailLine}>
          <span className={styles.email} title={person.email}>
            {person.email}
          </span>
          <UnverifiedMark verified={person.email_verified} />
        </span>
        <span className={styles.narrow}>
          {columns.map(({ name, cell, narrowCell = cell, isHiddenOnTablet }) => {
            const content = narrowCell(person)
            return content === null ? null : (
              <span key={name} className={isHiddenOnTablet ? `${styles.fact} ${styles.wideFact}` : styles.fact}>
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
