import { TextInput } from '@mantine/core'
import type { GroupChoice } from '@watchline/contracts/groups'
import { useState } from 'react'
import { useListGroupChoicesQuery } from '../../api/lists.ts'
import { loadable } from '../feedback/loadable.tsx'
import styles from './group-filter.module.css'
import type { GroupSelectProps } from './group-select.tsx'

/** A field of the same height stands for the list while its code, which is large, is loading. */
const GroupSelect = loadable<GroupSelectProps>(
  () => import('./group-select.tsx').then(module => module.GroupSelect),
  ({ value }) => <TextInput label="Group" placeholder="Everybody" value={value?.name ?? ''} readOnly />,
)

const anyGroup = { query: { limit: 1 } }

/** Whether there is a group by which the person may filter; undefined while it loads. */
export function useHasGroups(): boolean | undefined {
  const { data } = useListGroupChoicesQuery(anyGroup)
  return data && data.items.length > 0
}

/**
 * The name of a group; undefined while it loads. A report of another person may be about a group by
 * which this person may not filter.
 */
export function useGroupName(id: string | undefined): string | undefined {
  const { currentData } = useListGroupChoicesQuery({ query: { group_ids: id, limit: 1 } }, { skip: !id })
  return currentData && (currentData.items[0]?.name ?? 'Another group')
}

interface GroupFilterProps {
  /** Empty for everybody. */
  value: string
  onChange: (id: string) => void
}

/**
 * Narrows a list to the members of a group. Nothing is shown if the person can choose no group. Its
 * room is kept while that loads and after it, so that the fields beside it do not move.
 */
export function GroupFilter({ value, onChange }: GroupFilterProps) {
  const [picked, setPicked] = useState<GroupChoice>()
  const hasGroups = useHasGroups()
  const [keepsPlaceholder] = useState(hasGroups === undefined)
  const isPicked = picked?.id === value
  const name = useGroupName(isPicked ? undefined : value)
  if (value === '' && !hasGroups)
    return keepsPlaceholder ? (
      <TextInput label="Group" className={styles.placeholder} aria-hidden="true" disabled />
    ) : null
  return (
    <GroupSelect
      value={value === '' ? undefined : isPicked ? picked : { id: value, name: name ?? '…' }}
      onChange={group => {
        setPicked(group)
        onChange(group?.id ?? '')
      }}
    />
  )
}
