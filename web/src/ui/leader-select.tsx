import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { useListTeamQuery } from '../api/lists.ts'
import type { LeaderChoice } from './leader-choice.ts'

/** The most people that a filter offers. Typing finds the others. */
const offeredPeople = 50

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
  const [searchText, setSearchText] = useState('')
  const isTyped = searchText !== '' && searchText !== value?.name
  const [search] = useDebouncedValue(isTyped ? searchText.trim() : '', limits.searchDebounceMs)
  const { data } = useListTeamQuery(
    { query: { role: leaderRole, manager_id: managerId, search: search || undefined, limit: offeredPeople } },
    { skip: !wasOpened },
  )
  const offered = data?.items ?? []
  const choices = value && !offered.some(({ id }) => id === value.id) ? [value, ...offered] : offered
  return (
    <Select
      label={label}
      placeholder="All"
      searchable
      clearable
      nothingFoundMessage={data ? 'Nobody found' : 'Loading…'}
      // The server searches, also in email addresses.
      filter={({ options }) => options}
      data={choices.map(({ id, name }) => ({ value: id, label: name }))}
      value={value?.id ?? null}
      onDropdownOpen={() => setWasOpened(true)}
      onSearchChange={setSearchText}
      onChange={id => {
        const chosen = choices.find(choice => choice.id === id)
        onChange(chosen && { id: chosen.id, name: chosen.name })
      }}
    />
  )
}
