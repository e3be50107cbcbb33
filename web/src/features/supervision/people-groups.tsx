import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useState } from 'react'
import { z } from 'zod'
import { asFailure } from '../../api/failure.ts'
import { useListTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { formatCount } from '../../ui/dates/format.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { Pager } from '../../ui/lists/pager.tsx'
import { usePages, useShownPage } from '../../ui/lists/use-pages.ts'
import { roleNames } from '../../ui/people/role-choices.ts'
import { PreparePlaylistLink } from '../../ui/tasks/prepare-playlist-link.tsx'
import { PeopleList, type PeopleListProps, type PeopleQuery } from './people-list.tsx'
import styles from './supervision.module.css'
import { firstTeamPage, teamPageSize } from './team.ts'

/** The fields by which a director groups people. */
export const groupings = { none: 'Nothing', role: 'Role', manager: 'Manager', supervisor: 'Team' } as const
export type Grouping = keyof typeof groupings
export const groupingName = z.enum(Object.keys(groupings) as [Grouping, ...Grouping[]])

interface Group {
  id: string
  name: string
  detail?: string | undefined
  query: PeopleQuery
}

interface PeopleGroupsProps extends Omit<PeopleListProps, 'label'> {
  by: Exclude<Grouping, 'none'>
}

/** People in groups that expand. A group loads its people when it is opened. */
export function PeopleGroups({ by, ...props }: PeopleGroupsProps) {
  if (by !== 'role') return <LeaderGroups leaderRole={by} {...props} />
  const groups = Object.entries(roleNames).map(([role, name]) => ({ id: role, name, query: { role } as PeopleQuery }))
  return <GroupList groups={groups} {...props} />
}

function LeaderGroups({
  leaderRole,
  query,
  ...props
}: Omit<PeopleGroupsProps, 'by'> & { leaderRole: 'manager' | 'supervisor' }) {
  const pages = usePages(JSON.stringify(query))
  const { data, currentData, error, isFetching, refetch } = useListTeamQuery(
    { query: { ...firstTeamPage.query, role: leaderRole, manager_id: query.manager_id, cursor: pages.cursor } },
    usePolling(limits.teamPollMs),
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const list = data && (
    <>
      {data.items.length === 0 ? (
        <EmptyState title={`No ${leaderRole}s yet`} action={<PreparePlaylistLink />}>
          An administrator appoints {leaderRole}s.
        </EmptyState>
      ) : (
        <GroupList groups={data.items.map(leader => describeTeam(leader, leaderRole))} query={query} {...props} />
      )}
      <Pager
        page={shownPage}
        pageSize={teamPageSize}
        count={data.items.length}
        total={data.total}
        countedAtMost={limits.maxCountedTotal}
        hasNext={data.nextCursor !== undefined}
        onPage={page => pages.open(page, currentData?.nextCursor)}
      />
      <p className={listStyles.dim}>People without a {leaderRole} are in no group. To see them, group by nothing.</p>
    </>
  )
  return (
    <Loaded
      message="Couldn’t load the groups."
      failure={error && asFailure(error)}
      onRetry={refetch}
      retrying={isFetching}
      placeholder={<SkeletonRows rows={6} />}
    >
      {list}
    </Loaded>
  )
}

function describeTeam({ id, name, user_count, supervisor_count }: User, leaderRole: 'manager' | 'supervisor'): Group {
  if (leaderRole === 'manager')
    return {
      id,
      name,
      detail: supervisor_count === undefined ? undefined : formatCount(supervisor_count, 'supervisor'),
      query: { manager_id: id },
    }
  return {
    id,
    name,
    detail: user_count === undefined ? undefined : `${user_count}/${limits.supervisorCapacity} users`,
    query: { supervisor_id: id, manager_id: undefined },
  }
}

function GroupList({ groups, ...props }: Omit<PeopleGroupsProps, 'by'> & { groups: readonly Group[] }) {
  return (
    <ul className={listStyles.cards} aria-label="Groups">
      {groups.map(group => (
        <li key={group.id}>
          <PeopleGroup group={group} {...props} />
        </li>
      ))}
    </ul>
  )
}

function PeopleGroup({ group, query, ...props }: Omit<PeopleGroupsProps, 'by'> & { group: Group }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.group} open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className={styles.groupName}>
        <span className={listStyles.cut} title={group.name}>
          {group.name}
        </span>
        {group.detail ? <span className={listStyles.dim}>{group.detail}</span> : null}
      </summary>
      {isOpen ? <PeopleList {...props} label={group.name} query={{ ...query, ...group.query }} /> : null}
    </details>
  )
}
