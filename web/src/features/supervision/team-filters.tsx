import { NativeSelect } from '@mantine/core'
import type { AssignableRole } from '@watchline/contracts/people'
import { LeaderFilter } from '../../ui/people/leader-filter.tsx'
import { roleChoices } from '../../ui/people/role-choices.ts'
import styles from './supervision.module.css'
import type { TeamFilter } from './team-filter.ts'

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
          data={[{ value: '', label: 'All roles' }, ...roleChoices]}
          value={filter.role ?? ''}
          onChange={event =>
            onChange({ ...filter, role: (event.currentTarget.value || undefined) as AssignableRole | undefined })
          }
        />
      )}
      {without.includes('manager') ? null : (
        <LeaderFilter
          label="Manager"
          leaderRole="manager"
          value={filter.manager}
          onChange={manager => onChange({ ...filter, manager, supervisor: undefined })}
        />
      )}
      {without.includes('supervisor') ? null : (
        <LeaderFilter
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
