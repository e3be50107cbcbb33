import { Checkbox } from '@mantine/core'

interface SelectAllProps {
  className?: string | undefined
  /** The ids of the listed items. */
  ids: readonly string[]
  chosenIds: { has(id: string): boolean }
  /** The list shows only what a search found. */
  isSearching: boolean
  onChoose: (ids: readonly string[], isChosen: boolean) => void
}

/** Chooses all listed items or none of them. A single item needs no such box. */
export function SelectAll({ className, ids, chosenIds, isSearching, onChoose }: SelectAllProps) {
  if (ids.length < 2) return null
  const chosenCount = ids.filter(id => chosenIds.has(id)).length
  return (
    <Checkbox
      className={className}
      label={`Select all ${ids.length}${isSearching ? ' found' : ''}`}
      checked={chosenCount === ids.length}
      indeterminate={chosenCount > 0 && chosenCount < ids.length}
      onChange={event => onChoose(ids, event.currentTarget.checked)}
    />
  )
}
