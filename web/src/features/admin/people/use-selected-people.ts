import type { User } from '@watchline/contracts/people'
import { useState } from 'react'

export interface SelectedPeople {
  people: readonly User[]
  has: (id: string) => boolean
  /** Only active users can be selected: others have no team to be put into. */
  canSelect: (person: User) => boolean
  select: (people: readonly User[], isSelected: boolean) => void
}

/** The selected people of a list. A selection lasts when another page or filter is shown. */
export function useSelectedPeople(): SelectedPeople {
  const [selected, setSelected] = useState<ReadonlyMap<string, User>>(new Map())
  return {
    people: [...selected.values()],
    has: id => selected.has(id),
    canSelect: ({ role, deactivated_at }) => role === 'user' && !deactivated_at,
    select: (people, isSelected) =>
      setSelected(previous => {
        const next = new Map(previous)
        for (const person of people) {
          if (isSelected) next.set(person.id, person)
          else next.delete(person.id)
        }
        return next
      }),
  }
}
