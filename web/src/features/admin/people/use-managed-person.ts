import type { User } from '@watchline/contracts/people'
import { useState } from 'react'

/**
 * Whom the side panel is about: as the list shows them, and as they were last known when a change takes them out of the
 * list. A change's answer counts until the list has caught up.
 */
export function useManagedPerson(listed: readonly User[] | undefined) {
  const [opened, setOpened] = useState(false)
  const [person, setPerson] = useState<User>()
  const [seen, setSeen] = useState<User>()
  const now = person && listed?.find(({ id }) => id === person.id)
  if (now && now !== seen) {
    setSeen(now)
    setPerson(now)
  }
  return {
    opened,
    person,
    open(next: User) {
      setSeen(next)
      setPerson(next)
      setOpened(true)
    },
    close: () => setOpened(false),
    changed: (answer: User) => setPerson(before => (before?.id === answer.id ? { ...before, ...answer } : before)),
  }
}
