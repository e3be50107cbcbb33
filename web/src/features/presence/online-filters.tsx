import { NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { type Role, role as roleName } from '@watchline/contracts/people'
import { type OnlineStatus, onlineStatus } from '@watchline/contracts/presence'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { z } from 'zod'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { leaderChoice } from '../../ui/people/leader-choice.ts'
import { LeaderFilter } from '../../ui/people/leader-filter.tsx'
import { roleChoices } from '../../ui/people/role-choices.ts'
import styles from './online-panel.module.css'

const onlineFilter = z.object({ role: roleName.optional(), team: leaderChoice.optional() })
type OnlineFilter = z.infer<typeof onlineFilter>

const onlineRoles = [{ value: '', label: 'All roles' }, ...roleChoices, { value: 'admin', label: 'Administrators' }]

/** The filters in the words of the API; fields without a value are undefined. */
export interface OnlineQuery {
  role: Role | undefined
  supervisor_id: string | undefined
  status: OnlineStatus | undefined
  search: string | undefined
}

export interface OnlineFilterState {
  filter: OnlineFilter
  setFilter: (filter: OnlineFilter) => void
  searchText: string
  setSearchText: (text: string) => void
  setStatus: (status: OnlineStatus | undefined) => void
  query: OnlineQuery
}

/** The filters of the online list. The browser remembers role and team, not the search. */
export function useOnlineFilter(): OnlineFilterState {
  const [filter, setFilter] = useRememberedChoice<OnlineFilter>('online-filter', onlineFilter, {})
  const [searchText, setSearchText] = useState('')
  const [searchTerm] = useDebouncedValue(searchText.trim().slice(0, limits.nameMaxLength), limits.searchDebounceMs)
  const [status, setStatus] = useShownStatus()
  const query = { role: filter.role, supervisor_id: filter.team?.id, status, search: searchTerm || undefined }
  return { filter, setFilter, searchText, setSearchText, setStatus, query }
}

/** The status of the listed people; the address holds it, so that other screens can link to it. */
function useShownStatus(): [OnlineStatus | undefined, (status: OnlineStatus | undefined) => void] {
  const [params, setParams] = useSearchParams()
  const setStatus = (status: OnlineStatus | undefined) =>
    setParams(
      current => {
        const next = new URLSearchParams(current)
        if (status === undefined) next.delete('status')
        else next.set('status', status)
        return next
      },
      { replace: true },
    )
  return [onlineStatus.safeParse(params.get('status')).data, setStatus]
}

/** Narrows the online list. Supervisors see only their own team, so they choose none. */
export function OnlineFilters({ state, viewerRole }: { state: OnlineFilterState; viewerRole: Role }) {
  const { filter, setFilter, searchText, setSearchText } = state
  return (
    <div className={styles.filters}>
      <SearchField value={searchText} onChange={setSearchText} />
      <NativeSelect
        label="Role"
        data={onlineRoles}
        value={filter.role ?? ''}
        onChange={event => setFilter({ ...filter, role: roleName.safeParse(event.currentTarget.value).data })}
      />
      {viewerRole === 'supervisor' ? null : (
        <LeaderFilter
          label="Team"
          leaderRole="supervisor"
          value={filter.team}
          onChange={team => setFilter({ ...filter, team })}
        />
      )}
    </div>
  )
}
