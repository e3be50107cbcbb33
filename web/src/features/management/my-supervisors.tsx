import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { matchesSearch } from '@watchline/contracts/search-text'
import { useState } from 'react'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { Pager } from '../../ui/lists/pager.tsx'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import type { Online } from '../../ui/people/online-status.ts'
import { SupervisorRow } from './supervisor-row.tsx'
import { sortTeams, type TeamOrder, teamOrder, teamOrders } from './teams.ts'
import type { Teams } from './use-teams.ts'

interface MySupervisorsProps {
  teams: Teams
  online: Online
  onOpenMember: (member: MemberAnalytics) => void
  onRequest: () => void
}

const pageSize = 25
const searchFrom = 8

/** The manager's supervisors. Each row expands to the supervisor's team. */
export function MySupervisors({
  teams: { supervisors, analytics, teams },
  online,
  onOpenMember,
  onRequest,
}: MySupervisorsProps) {
  const [searchText, setSearchText] = useState('')
  const [page, setPage] = useState(0)
  const [order, setOrder] = useRememberedChoice<TeamOrder>('supervisors-order', teamOrder, 'name')
  const matchingTeams =
    teams?.filter(({ supervisor }) => matchesSearch(searchText, supervisor.name, supervisor.email)) ?? []
  const orderedTeams = sortTeams(matchingTeams, order)
  // A shorter list falls back to its last page.
  const currentPage = Math.min(page, Math.max(0, Math.ceil(matchingTeams.length / pageSize) - 1))
  const pageTeams = orderedTeams.slice(currentPage * pageSize, (currentPage + 1) * pageSize)

  const list = teams && (
    <>
      {pageTeams.length === 0 ? (
        <NoSupervisors isSearching={teams.length > 0} onRequest={onRequest} />
      ) : (
        <ul className={listStyles.cards} aria-label="My Supervisors">
          {pageTeams.map(team => (
            <SupervisorRow
              key={team.supervisor.id}
              team={team}
              online={online.summary}
              figuresFailed={analytics.failure !== undefined}
              onOpenMember={onOpenMember}
            />
          ))}
        </ul>
      )}
      <Pager
        page={currentPage}
        pageSize={pageSize}
        count={pageTeams.length}
        total={matchingTeams.length}
        hasNext={(currentPage + 1) * pageSize < matchingTeams.length}
        canJump
        onPage={setPage}
      />
    </>
  )
  return (
    <section aria-label="My Supervisors">
      {teams && teams.length > 1 ? (
        <NativeSelect
          label="Sort by"
          data={Object.entries(teamOrders).map(([value, label]) => ({ value, label }))}
          value={order}
          onChange={event => {
            setOrder(event.currentTarget.value as TeamOrder)
            setPage(0)
          }}
          mb="md"
          maw={420}
        />
      ) : null}
      {teams && teams.length > searchFrom ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={searchText}
          onChange={event => {
            setSearchText(event.currentTarget.value)
            setPage(0)
          }}
          mb="md"
          maw={420}
        />
      ) : null}
      {analytics.failure && teams && teams.length > 0 ? (
        <p className={listStyles.notice} role="status">
          Couldn’t load the teams’ figures
          {analytics.data ? '; completion and watch time below are the last known values.' : '.'} Retrying
          automatically.
        </p>
      ) : null}
      <Loaded
        message="Couldn’t load your supervisors."
        failure={supervisors.failure}
        onRetry={supervisors.retry}
        retrying={supervisors.loading}
        placeholder={<SkeletonRows rows={4} height={72} />}
      >
        {list}
      </Loaded>
    </section>
  )
}

function NoSupervisors({ isSearching, onRequest }: { isSearching: boolean; onRequest: () => void }) {
  if (isSearching) return <EmptyState title="No supervisor found">Try another name or email.</EmptyState>
  return (
    <EmptyState
      title="No supervisors assigned yet"
      action={
        <Button variant="default" aria-haspopup="dialog" onClick={onRequest}>
          Request a supervisor
        </Button>
      }
    >
      Request a supervisor first. After an administrator approves your request, the supervisor and their team appear
      here.
    </EmptyState>
  )
}
