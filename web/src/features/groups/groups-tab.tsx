import { Button, Modal, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Group } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useListGroupsQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { formatCount, formatNumber } from '../../ui/dates/format.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { OpenRowButton } from '../../ui/lists/open-row-button.tsx'
import { openableRow } from '../../ui/lists/openable-row.ts'
import { Pager } from '../../ui/lists/pager.tsx'
import { usePages, useShownPage } from '../../ui/lists/use-pages.ts'
import { describeSource } from './describe-source.ts'
import { GroupDialog } from './group-dialog.tsx'
import styles from './groups.module.css'
import { NameSearch, useNameSearch } from './name-search.tsx'
import { NewGroupDialog } from './new-group-dialog.tsx'

const pageSize = 25
const searchFrom = 8

/** All groups of people, with the dialogs that create and change them. */
export function GroupsTab() {
  const search = useNameSearch()
  const pages = usePages(search.query)
  const [hasPending, setHasPending] = useState(false)
  const polling = usePolling(hasPending ? limits.groupPollMs : limits.adminPollMs)
  const query = { limit: pageSize, search: search.query || undefined, cursor: pages.cursor }
  const { data, currentData, error, isFetching, refetch } = useListGroupsQuery({ query }, polling)
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const [opened, setOpened] = useState<Group>()
  const [isCreating, setCreating] = useState(false)
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const isPending = data?.items.some(({ pending }) => pending) ?? false
  if (isPending !== hasPending) setHasPending(isPending)

  const list = data && (
    <>
      {data.items.length > 0 ? (
        <GroupList groups={data.items} onOpen={setOpened} />
      ) : search.query !== '' ? (
        <EmptyState title="No group found">Try another name.</EmptyState>
      ) : (
        <EmptyState
          title="No groups yet"
          action={
            <Button variant="default" onClick={() => setCreating(true)}>
              Create the first group
            </Button>
          }
        >
          A group is a set of people with a name, such as everybody in the warehouse. Choose its people by hand or from
          a file, or let it follow a team.
        </EmptyState>
      )}
      <Pager
        page={shownPage}
        pageSize={pageSize}
        count={data.items.length}
        {...(data.total !== undefined && { total: data.total })}
        hasNext={data.nextCursor !== undefined}
        nouns={['group', 'groups']}
        onPage={page => pages.open(page, currentData?.nextCursor)}
      />
    </>
  )
  return (
    <section aria-label="Groups" ref={section} tabIndex={-1}>
      <div className={styles.bar}>
        {search.text !== '' || (data?.total ?? 0) > searchFrom ? <NameSearch search={search} /> : null}
        <Button ms="auto" onClick={() => setCreating(true)}>
          New group
        </Button>
      </div>
      <Loaded
        message="Couldn’t load the groups."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={6} />}
      >
        {list}
      </Loaded>
      <Modal.Stack>
        <NewGroupDialog opened={isCreating} onClose={() => setCreating(false)} onCreated={setOpened} />
        <GroupDialog opened={opened} onClose={() => setOpened(undefined)} />
      </Modal.Stack>
    </section>
  )
}

interface GroupListProps {
  groups: readonly Group[]
  onOpen: (group: Group) => void
}

/** Groups as a table, or as cards on a phone. */
function GroupList({ groups, onOpen }: GroupListProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const renderName = (group: Group) => <OpenRowButton name={group.name} onOpen={() => onOpen(group)} />
  if (isNarrow)
    return (
      <ul className={listStyles.cards} aria-label="Groups">
        {groups.map(group => (
          <li key={group.id} className={listStyles.card} {...openableRow}>
            {renderName(group)}
            <div className={listStyles.facts}>
              <span>{group.pending ? 'Looking for members…' : formatCount(group.member_count, 'member')}</span>
              <span>{describeSource(group)}</span>
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Groups">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th w={176} ta="end">
              Members
            </Table.Th>
            <Table.Th w="32%">Source</Table.Th>
            <Table.Th w="20%">Supervisors who assign</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {groups.map(group => (
            <Table.Tr key={group.id} {...openableRow}>
              <Table.Td>{renderName(group)}</Table.Td>
              <Table.Td ta="end">{group.pending ? 'Looking for members…' : formatNumber(group.member_count)}</Table.Td>
              <Table.Td className={styles.cut} title={describeSource(group)}>
                {describeSource(group)}
              </Table.Td>
              <Table.Td className={styles.cut} title={namesOf(group)}>
                {namesOf(group)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

const namesOf = ({ assigners }: Group) => assigners.map(({ name }) => name).join(', ') || 'None'
