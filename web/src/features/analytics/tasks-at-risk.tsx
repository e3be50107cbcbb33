import { Button, NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { riskReason, riskSort, type TaskAtRisk } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { DayRange } from '../../ui/dates/day-range.tsx'
import { formatCount } from '../../ui/dates/format.ts'
import { endOfDay, parseDay, startOfDay } from '../../ui/dates/parse-day.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { Pager } from '../../ui/lists/pager.tsx'
import { PlaylistFilter } from '../../ui/lists/playlist-filter.tsx'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { useServerOrder } from '../../ui/lists/server-order.ts'
import { usePages, useShownPage } from '../../ui/lists/use-pages.ts'
import { GroupFilter } from '../../ui/people/group-filter.tsx'
import { riskReasonNames } from '../../ui/tasks/risk-reason.ts'
import styles from './analytics.module.css'
import {
  type RiskFilter,
  type TasksAtRiskPage,
  type TeamScope,
  teamPageSize,
  useListTasksAtRiskQuery,
} from './analytics-api.ts'
import { RiskList, type RiskOrder, type RiskReminding, riskOrderNames } from './risk-list.tsx'

interface TasksAtRiskProps {
  scope?: TeamScope
  /** Absent for those who may not remind. */
  reminding?: RiskReminding | undefined
  /** Opens a member's detail. */
  onOpen: (member: Pick<TaskAtRisk, 'user_id' | 'name' | 'email'>) => void
}

const wholeScope: TeamScope = {}
const dueWithinDays = Math.round(limits.atRiskWithinMs / (24 * 3_600_000))

/** The open tasks at risk: overdue, under the pace, or never started. */
export function TasksAtRisk({ scope = wholeScope, reminding, onOpen }: TasksAtRiskProps) {
  const { fields, change, filter, isReversed } = useRiskFilter(scope)
  const { sorting, query: order } = useServerOrder('risk-order', riskSort.options, 'due asc')
  const pages = usePages(JSON.stringify([filter, order]))
  const { data, currentData, error, isFetching, refetch } = useListTasksAtRiskQuery(
    { query: { limit: teamPageSize, ...filter, ...order, cursor: pages.cursor } },
    { ...usePolling(limits.teamPollMs), skip: isReversed },
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const list = data && (
    <>
      {data.tasks.length > 0 ? (
        <RiskList tasks={data.tasks} sorting={sorting} reminding={reminding} onOpen={onOpen} />
      ) : (
        <NoTasks isFiltered={Object.values(filter).some(value => value !== undefined)} />
      )}
      <Pager
        page={shownPage}
        pageSize={teamPageSize}
        count={data.tasks.length}
        total={data.total}
        hasNext={data.nextCursor !== undefined}
        nouns={['task', 'tasks']}
        onPage={page => pages.open(page, currentData?.nextCursor)}
      />
    </>
  )
  return (
    <section aria-label="Tasks at risk" className={styles.panel}>
      <p className={listStyles.dim}>
        These open tasks need attention: they are overdue, due within {dueWithinDays} days and behind schedule, or not
        started a day after their assignment.
      </p>
      <div className={styles.bar}>
        <SearchField placeholder="Part of a name" value={fields.searchText} onChange={change('searchText')} />
        <NativeSelect
          label="Show"
          w={208}
          data={[
            { value: '', label: withCount('All reasons', data?.counts.tasks) },
            ...riskReason.options.map(value => ({
              value,
              label: withCount(riskReasonNames[value], data?.counts[value]),
            })),
          ]}
          value={filter.reason ?? ''}
          onChange={event => change('reason')(event.currentTarget.value)}
        />
        <NativeSelect
          label="Sort by"
          data={Object.entries(riskOrderNames).map(([value, label]) => ({ value, label }))}
          value={sorting.order}
          onChange={event => sorting.onOrder(event.currentTarget.value as RiskOrder)}
        />
        <PlaylistFilter value={fields.playlistId} onChange={change('playlistId')} />
        <GroupFilter value={fields.groupId} onChange={change('groupId')} />
        <DayRange
          labels={['Due from', 'Due until']}
          from={fields.from}
          until={fields.until}
          onChange={(field, day) => change(field)(day)}
          isReversed={isReversed}
        />
        <RemindAll page={data} filter={filter} reminding={reminding} />
      </div>
      <div aria-busy={isFetching}>
        <Loaded
          message="Couldn’t load the tasks at risk."
          failure={error && asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          placeholder={<SkeletonRows rows={6} />}
        >
          {list}
        </Loaded>
      </div>
    </section>
  )
}

/** The parameters of the address for these fields. */
const paramNames = { reason: 'reason', playlistId: 'playlist', groupId: 'group', from: 'due_from', until: 'due_until' }
type RiskField = keyof typeof paramNames

/**
 * The filter of the list. The address holds it, so that other screens can link to a reason, and a
 * reload and a session that is left find the choices again. A name is typed anew.
 */
function useRiskFilter(scope: TeamScope) {
  const [params, setParams] = useSearchParams()
  const [searchText, setSearchText] = useState('')
  const readField = (field: RiskField) => params.get(paramNames[field]) ?? ''
  const fields = {
    ...{ searchText, playlistId: readField('playlistId'), groupId: readField('groupId') },
    ...{ from: readField('from'), until: readField('until') },
  }
  const [search] = useDebouncedValue(searchText.trim().slice(0, limits.nameMaxLength), limits.searchDebounceMs)
  const [from, until] = [parseDay(fields.from), parseDay(fields.until)]
  const filter: RiskFilter = {
    ...scope,
    reason: riskReason.safeParse(readField('reason')).data,
    playlist_id: fields.playlistId || undefined,
    group_id: fields.groupId || undefined,
    due_from: from && startOfDay(from),
    due_until: until && endOfDay(until),
    search: search || undefined,
  }
  const change = (field: RiskField | 'searchText') => (value: string) => {
    if (field === 'searchText') return setSearchText(value)
    setParams(
      current => {
        const next = new URLSearchParams(current)
        if (value === '') next.delete(paramNames[field])
        else next.set(paramNames[field], value)
        return next
      },
      { replace: true },
    )
  }
  return { fields, change, filter, isReversed: from !== undefined && until !== undefined && from > until }
}

function withCount(name: string, count: number | undefined): string {
  return count === undefined ? name : `${name} (${count})`
}

interface RemindAllProps {
  page: TasksAtRiskPage | undefined
  filter: RiskFilter
  reminding: RiskReminding | undefined
}

function RemindAll({ page, filter, reminding }: RemindAllProps) {
  const people = page && !filter.reason ? page.counts.people : undefined
  if (!reminding) return null
  const isOffered = page !== undefined && page.tasks.length > 0
  return (
    // Its room is kept, so that the list below does not move when the button appears.
    <Button
      variant="default"
      miw={208}
      style={{ visibility: isOffered ? undefined : 'hidden' }}
      data-disabled={reminding.isReminding}
      onClick={() => reminding.remindAtRisk(filter)}
    >
      {people === undefined ? 'Remind everybody listed' : `Remind ${formatCount(people, 'person', 'people')}`}
    </Button>
  )
}

function NoTasks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No task found">Try another reason, playlist, group, name or date.</EmptyState>
  return <EmptyState title="No task is at risk">Every open task is on schedule.</EmptyState>
}
