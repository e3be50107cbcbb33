import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useListTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { useTeamFigures } from '../../api/team-figures.ts'
import listStyles from '../../ui/list.module.css'
import { NoTeam } from '../../ui/no-team.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { usePages } from '../../ui/use-pages.ts'
import styles from './supervision.module.css'
import { firstTeamPage, teamPageSize } from './team.ts'
import { type TeamFilter, TeamFilters } from './team-filters.tsx'
import { TeamTable } from './team-table.tsx'

interface TeamMembersProps {
  person: Person
  online: OnlineSummary | undefined
  onOpen: (member: User) => void
}

export function TeamMembers({ person, online, onOpen }: TeamMembersProps) {
  const [searchText, setSearchText] = useState('')
  const [searchTerm] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const [filter, setFilter] = useState<TeamFilter>({})
  const filterQuery = { role: filter.role, manager_id: filter.manager?.id, supervisor_id: filter.supervisor?.id }
  const isNarrowed = searchTerm !== '' || Object.values(filterQuery).some(value => value !== undefined)
  const pages = usePages(JSON.stringify([searchTerm, filterQuery]))
  const { data, error, isFetching, refetch } = useListTeamQuery(
    { query: { ...firstTeamPage.query, ...filterQuery, search: searchTerm || undefined, cursor: pages.cursor } },
    usePolling(limits.teamPollMs),
  )
  const trainees = data?.items.filter(({ role }) => role === 'user') ?? []
  const figures = useTeamFigures(trainees.map(({ id }) => id))

  const list = data && (
    <>
      {data.items.length === 0 ? (
        <NoTeam isSearching={isNarrowed} />
      ) : (
        <TeamTable
          people={data.items}
          online={online}
          figures={figures}
          withRole={person.role !== 'supervisor'}
          onOpen={onOpen}
        />
      )}
      <Pager
        page={pages.page}
        pageSize={teamPageSize}
        count={data.items.length}
        total={data.total}
        countedAtMost={limits.maxCountedTotal}
        hasNext={data.nextCursor !== undefined}
        onPage={page => pages.open(page, data.nextCursor)}
      />
    </>
  )
  return (
    <section aria-label="Team Members">
      <div className={styles.search}>
        <SearchField value={searchText} onChange={setSearchText} />
        {person.role === 'director' ? <TeamFilters filter={filter} onChange={setFilter} /> : null}
      </div>
      {figures.failed ? (
        <p className={listStyles.notice} role="status">
          The team’s figures could not be loaded
          {figures.members ? '; completion and watch time below are the last known values.' : '.'} Retrying
          automatically.
        </p>
      ) : null}
      {error ? (
        <LoadFailed
          message="The team could not be loaded. Please try again."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {list}
        </LoadFailed>
      ) : (
        (list ?? <SkeletonRows rows={6} />)
      )}
    </section>
  )
}
