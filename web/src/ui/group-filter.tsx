import { NativeSelect } from '@mantine/core'
import { listGroups } from '@watchline/contracts/groups'
import { useGetSessionQuery } from '../api/gateway.ts'
import { allGroups, useListGroupsQuery } from '../api/lists.ts'

interface GroupFilterProps {
  /** Empty for everybody. */
  value: string
  onChange: (id: string) => void
}

/** The groups that the person can see; none for roles that see no groups. */
export function useVisibleGroups() {
  const { data: person } = useGetSessionQuery()
  const seesGroups = person && (listGroups.callers as readonly string[]).includes(person.role)
  const { data } = useListGroupsQuery(allGroups, { skip: !seesGroups })
  return data?.items ?? []
}

/** Narrows a list to the members of a group. Nothing is shown if the person can see no group. */
export function GroupFilter({ value, onChange }: GroupFilterProps) {
  const groups = useVisibleGroups()
  const isUnknown = value !== '' && !groups.some(({ id }) => id === value)
  if (groups.length === 0 && !isUnknown) return null
  return (
    <NativeSelect
      label="Group"
      data={[
        { value: '', label: 'Everybody' },
        ...groups.map(({ id, name }) => ({ value: id, label: name })),
        ...(isUnknown ? [{ value, label: 'Another group' }] : []),
      ]}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      maw={260}
    />
  )
}
