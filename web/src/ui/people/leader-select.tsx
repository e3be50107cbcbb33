import { useState } from 'react'
import { useListTeamQuery } from '../../api/lists.ts'
import { offeredCount, SearchedSelect, useTypedSearch } from '../lists/searched-select.tsx'
import type { LeaderChoice } from './leader-choice.ts'

export interface LeaderFilterProps {
  label: string
  leaderRole: 'manager' | 'supervisor'
  /** Offers only this manager's supervisors. */
  managerId?: string | undefined
  value: LeaderChoice | undefined
  onChange: (leader: LeaderChoice | undefined) => void
}

/** Narrows a list to one leader's people. The leaders load when the field is opened. */
export function LeaderSelect({ label, leaderRole, managerId, value, onChange }: LeaderFilterProps) {
  const [wasOpened, setWasOpened] = useState(false)
  const { search, setText } = useTypedSearch(value)
  const { data } = useListTeamQuery(
    { query: { role: leaderRole, manager_id: managerId, search, limit: offeredCount } },
    { skip: !wasOpened },
  )
  return (
    <SearchedSelect
      label={label}
      placeholder="All"
      value={value}
      found={data?.items}
      nothingFound="Nobody found"
      onOpen={() => setWasOpened(true)}
      onSearch={setText}
      onChange={onChange}
    />
  )
}
