import { NativeSelect, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { assignableRole, type Role } from '@watchline/contracts/people'
import { useState } from 'react'
import { z } from 'zod'
import { useListTeamQuery } from '../../api/lists.ts'
import styles from './supervision.module.css'

type ShownRole = Exclude<Role, 'admin'>
const choice = z.object({ id: z.string(), name: z.string() })
type Choice = z.infer<typeof choice>

/** The part of the organisation that a list of people shows. */
export const teamFilter = z.object({
  role: assignableRole.optional(),
  manager: choice.optional(),
  supervisor: choice.optional(),
})
export type TeamFilter = z.infer<typeof teamFilter>

export const roleNames: Record<ShownRole, string> = {
  user: 'Users',
  supervisor: 'Supervisors',
  manager: 'Managers',
  director: 'Directors',
}

/** The most people that a filter offers. Typing finds the others. */
const offeredPeople = 50

/** The query of a filter, in the words of the API. */
export function toFilterQuery({ role, manager, supervisor }: TeamFilter) {
  return { role, manager_id: manager?.id, supervisor_id: supervisor?.id }
}

interface TeamFiltersProps {
  filter: TeamFilter
  /** Fields that are not offered. */
  without?: readonly (keyof TeamFilter)[]
  onChange: (filter: TeamFilter) => void
}

/** Narrows a director's list of people to a role, a manager's teams or a supervisor's team. */
export function TeamFilters({ filter, without = [], onChange }: TeamFiltersProps) {
  return (
    <div className={styles.filters}>
      {without.includes('role') ? null : (
        <NativeSelect
          label="Role"
          data={[
            { value: '', label: 'All roles' },
            ...Object.entries(roleNames).map(([value, label]) => ({ value, label })),
          ]}
          value={filter.role ?? ''}
          onChange={event =>
            onChange({ ...filter, role: (event.currentTarget.value || undefined) as ShownRole | undefined })
          }
        />
      )}
      {without.includes('manager') ? null : (
        <PersonFilter
          label="Manager"
          leaderRole="manager"
          value={filter.manager}
          onChange={manager => onChange({ ...filter, manager, supervisor: undefined })}
        />
      )}
      {without.includes('supervisor') ? null : (
        <PersonFilter
          label="Supervisor"
          leaderRole="supervisor"
          managerId={filter.manager?.id}
          value={filter.supervisor}
          onChange={supervisor => onChange({ ...filter, supervisor })}
        />
      )}
    </div>
  )
}

interface PersonFilterProps {
  label: string
  leaderRole: 'manager' | 'supervisor'
  /** Offers only this manager's supervisors. */
  managerId?: string | undefined
  value: Choice | undefined
  onChange: (person: Choice | undefined) => void
}

function PersonFilter({ label, leaderRole, managerId, value, onChange }: PersonFilterProps) {
  const [searchText, setSearchText] = useState('')
  const isTyped = searchText !== '' && searchText !== value?.name
  const [search] = useDebouncedValue(isTyped ? searchText.trim() : '', limits.searchDebounceMs)
  const { data } = useListTeamQuery({
    query: { role: leaderRole, manager_id: managerId, search: search || undefined, limit: offeredPeople },
  })
  const offered = data?.items ?? []
  const choices = value && !offered.some(({ id }) => id === value.id) ? [value, ...offered] : offered
  return (
    <Select
      label={label}
      placeholder="All"
      searchable
      clearable
      nothingFoundMessage="Nobody found"
      // The server searches, also in email addresses.
      filter={({ options }) => options}
      data={choices.map(({ id, name }) => ({ value: id, label: name }))}
      value={value?.id ?? null}
      onSearchChange={setSearchText}
      onChange={id => {
        const chosen = choices.find(choice => choice.id === id)
        onChange(chosen && { id: chosen.id, name: chosen.name })
      }}
    />
  )
}
