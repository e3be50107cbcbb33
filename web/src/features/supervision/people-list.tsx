import { limits } from '@watchline/contracts/limits'
import type { Role, User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { asFailure } from '../../api/failure.ts'
import { useListTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { useTeamFigures } from '../../api/team-figures.ts'
import { Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { Pager } from '../../ui/lists/pager.tsx'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { usePages, useShownPage } from '../../ui/lists/use-pages.ts'
import { NoTeam } from '../../ui/people/no-team.tsx'
import { type PeopleOrder, peopleOrder, sortPeople } from './people-order.ts'
import { firstTeamPage, teamPageSize } from './team.ts'
import { TeamTable } from './team-table.tsx'

/** The people that a list shows; empty for the caller's whole team. */
export interface PeopleQuery {
  search?: string | undefined
  role?: Role | undefined
  manager_id?: string | undefined
  supervisor_id?: string | undefined
}

export interface PeopleListProps {
  query: PeopleQuery
  label?: string
  withRole: boolean
  withTeam: boolean
  online: OnlineSummary | undefined
  onOpen: (member: User) => void
}

/** The people who match a query, with status, completion and watch time, page by page. */
export function PeopleList({ query, label = 'Team members', withRole, withTeam, online, onOpen }: PeopleListProps) {
  const [order, setOrder] = useRememberedChoice<PeopleOrder>('people-order', peopleOrder, 'name')
  const nameOrder = order === 'nameReversed' ? order : 'name'
  const pages = usePages(JSON.stringify([query, nameOrder]))
  const { data, currentData, error, isFetching, refetch } = useListTeamQuery(
    {
      query: {
        ...firstTeamPage.query,
        ...query,
        // Ascending is the server's own order; without it, the table shares the stat card's query.
        order: nameOrder === 'nameReversed' ? 'desc' : undefined,
        cursor: pages.cursor,
      },
    },
    usePolling(limits.teamPollMs),
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const trainees = data?.items.filter(({ role }) => role === 'user') ?? []
  const figures = useTeamFigures(trainees.map(({ id }) => id))
  // The server orders a longer list by name; sorting one page of it by figures would mislead.
  const isWhole = shownPage === 0 && data?.nextCursor === undefined
  const isFiltered = Object.values(query).some(value => value !== undefined)
  const narrowedBy = query.search ? 'name or email' : isFiltered ? 'choice' : undefined

  // Figures make rows higher, so the first rows appear together with theirs.
  const isReady = figures.members !== undefined || figures.failed || trainees.length === 0
  const list = data && isReady && (
    <>
      {data.items.length === 0 ? (
        <NoTeam viewerRole={withTeam ? 'director' : 'supervisor'} narrowedBy={narrowedBy} />
      ) : (
        <TeamTable
          label={label}
          people={isWhole ? sortPeople(data.items, figures.members, order) : data.items}
          sorting={{ order: isWhole ? order : nameOrder, onOrder: setOrder }}
          canSortFigures={isWhole}
          online={online}
          figures={figures}
          withRole={withRole}
          withTeam={withTeam}
          onOpen={onOpen}
        />
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
    </>
  )
  return (
    <>
      {figures.failed ? (
        <p className={listStyles.notice} role="status">
          Couldn’t load the team’s figures
          {figures.members ? '; completion and watch time below are the last known values.' : '.'} Retrying
          automatically.
        </p>
      ) : null}
      <Loaded
        message="Couldn’t load the team."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={6} />}
      >
        {list || undefined}
      </Loaded>
    </>
  )
}
