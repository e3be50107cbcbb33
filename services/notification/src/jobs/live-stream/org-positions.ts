import type { People, Person } from '@watchline/identity/people'

/** Where people stand, as new as anything in this process knows. */
export interface Places {
  /** Asked of auth where the projection lacks them; undefined for nobody, or when it cannot be told now. */
  of(id: string): Promise<Person | undefined>
  /** An event has told it; another replica may be about to put it into the projection. */
  note(person: Person): void
  /** The newer of this and what an event has told. */
  newest(person: Person): Person
}

/** By then every projection has caught up, or the event that is missing has been told again. */
const keptAtMost = 5_000

export function createPlaces(people: Pick<People, 'find'>): Places {
  const told = new Map<string, Person>()

  function newest(person: Person): Person {
    const ahead = told.get(person.id)
    return ahead && ahead.version > person.version ? ahead : person
  }

  return {
    of: async id => {
      const known = await people.find(id, 0).catch(() => undefined)
      return known ? newest(known) : told.get(id)
    },
    note: person => {
      const before = told.get(person.id)
      if (before && before.version >= person.version) return
      told.delete(person.id)
      told.set(person.id, person)
      if (told.size > keptAtMost) told.delete(told.keys().next().value!)
    },
    newest,
  }
}
