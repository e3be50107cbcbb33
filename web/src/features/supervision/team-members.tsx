import { NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useState } from 'react'
import type { Person } from '../../api/signed-in-person.ts'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { type Grouping, groupingName, groupings, PeopleGroups } from './people-groups.tsx'
import { PeopleList } from './people-list.tsx'
import styles from './supervision.module.css'
import { type TeamFilter, teamFilter, toFilterQuery } from './team-filter.ts'
import { TeamFilters } from './team-filters.tsx'

interface TeamMembersProps {
  person: Person
  online: OnlineSummary | undefined
  onOpen: (member: User) => void
}

/** A grouping replaces the filter of the same field; a manager's group contains its teams. */
const replacedFilters: Record<Grouping, readonly (keyof TeamFilter)[]> = {
  none: [],
  role: ['role'],
  manager: ['manager', 'supervisor'],
  supervisor: ['supervisor'],
}

/** The caller's people. Directors see everybody, and can filter and group them. */
export function TeamMembers({ person, online, onOpen }: TeamMembersProps) {
  const [searchText, setSearchText] = useState('')
  const [searchTerm] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const [filter, setFilter] = useRememberedChoice<TeamFilter>('people-filter', teamFilter, {})
  const [grouping, setGrouping] = useRememberedChoice<Grouping>('people-grouping', groupingName, 'none')
  const isDirector = person.role === 'director'

  function groupBy(newGrouping: Grouping) {
    setGrouping(newGrouping)
    setFilter({ ...filter, ...Object.fromEntries(replacedFilters[newGrouping].map(field => [field, undefined])) })
  }

  const props = {
    query: { ...toFilterQuery(filter), search: searchTerm || undefined },
    withRole: person.role !== 'supervisor',
    withTeam: isDirector,
    online,
    onOpen,
  }
  return (
    <section aria-label="Team Members">
      <div className={styles.search}>
        <SearchField value={searchText} onChange={setSearchText} />
        {isDirector ? (
          <>
            <NativeSelect
              label="Group by"
              data={Object.entries(groupings).map(([value, label]) => ({ value, label }))}
              value={grouping}
              onChange={event => groupBy(event.currentTarget.value as Grouping)}
            />
            <TeamFilters filter={filter} without={replacedFilters[grouping]} onChange={setFilter} />
          </>
        ) : null}
      </div>
      {grouping === 'none' ? <PeopleList {...props} /> : <PeopleGroups key={grouping} by={grouping} {...props} />}
    </section>
  )
}
