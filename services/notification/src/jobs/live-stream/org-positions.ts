import type { People, Person } from '@watchline/identity/people'

/** The newest known positions of people: from the projection, or from an event that precedes it. */
export interface OrgPositions {
  /** Asks auth if the projection lacks the person. Undefined if unknown or auth is unavailable. */
  find(id: string): Promise<Person | undefined>
  /** Records a person from an event that may not be in the projection yet. */
  record(person: Person): void
  /** The newer of this person and the recorded one. */
  newest(person: Person): Person
}

/** Older records may be dropped: the projection has caught up, or the event is redelivered. */
const maxRecorded = 5_000

export function createOrgPositions(people: Pick<People, 'find'>): OrgPositions {
  const recorded = new Map<string, Person>()

  function newest(person: Person): Person {
    const record = recorded.get(person.id)
    return record && record.version > person.version ? record : person
  }

  return {
    find: async id => {
      const person = await people.find(id, 0).catch(() => undefined)
      return person ? newest(person) : recorded.get(id)
    },
    record: person => {
      const before = recorded.get(person.id)
      if (before && before.version >= person.version) return
      recorded.delete(person.id)
      recorded.set(person.id, person)
      if (recorded.size > maxRecorded) recorded.delete(recorded.keys().next().value!)
    },
    newest,
  }
}
