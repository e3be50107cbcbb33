import type { User } from '@watchline/contracts/people'
import { useState } from 'react'

/**
 * The person in the side panel. The list's version applies; if a change removes the person from the
 * list, the last known version stays. A change's answer applies until the list is refetched.
 */
export function useManagedPerson(people: readonly User[] | undefined) {
  const [opened, setOpened] = useState(false)
  const [person, setPerson] = useState<User>()
  const [lastListed, setLastListed] = useState<User>()
  const listedPerson = person && people?.find(({ id }) => id === person.id)
  if (listedPerson && listedPerson !== lastListed) {
    setLastListed(listedPerson)
    setPerson(listedPerson)
  }
  return {
    opened,
    person,
    open(newPerson: User) {
      setLastListed(newPerson)
      setPerson(newPerson)
      setOpened(true)
    },
    close: () => setOpened(false),
    changed: (answer: User) =>
      setPerson(previous => (previous?.id === answer.id ? { ...previous, ...answer } : previous)),
  }
}
