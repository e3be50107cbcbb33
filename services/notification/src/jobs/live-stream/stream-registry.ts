import type { Place, Whom } from '../../rules/hints.ts'
import type { Stream } from './browser-stream.ts'

/** An open stream, and whose it is. */
export interface Open extends Stream {
  personId: string
  sid: string
}

interface Somebody {
  place: Place
  /** The oldest first. */
  open: Set<Open>
}

/** The open streams of this process, found by whom something concerns without looking at the others. */
export interface Registry {
  readonly size: number
  add(open: Open, place: Place): void
  remove(open: Open): void
  /** They stand somewhere else now. */
  moved(place: Place): void
  people(): string[]
  /** The streams of a person, the oldest first. */
  ofPerson(personId: string): readonly Open[]
  of(whom: readonly Whom[]): Set<Open>
  all(): Open[]
}

export function createRegistry(): Registry {
  const people = new Map<string, Somebody>()
  const bySid = createIndex<Open>()
  const groups = createIndex<Somebody>()
  let size = 0

  function enter(somebody: Somebody) {
    for (const key of groupsOf(somebody.place)) groups.add(key, somebody)
  }
  function leave(somebody: Somebody) {
    for (const key of groupsOf(somebody.place)) groups.remove(key, somebody)
  }

  function found(whom: Whom): Iterable<Open> {
    if ('sid' in whom) return bySid.get(whom.sid)
    if ('person' in whom) return people.get(whom.person)?.open ?? []
    return [...groups.get(groupKey(whom))].flatMap(somebody => [...somebody.open])
  }

  function moved(place: Place) {
    const somebody = people.get(place.id)
    if (!somebody) return
    leave(somebody)
    somebody.place = place
    enter(somebody)
  }

  return {
    get size() {
      return size
    },
    add: (open, place) => {
      const known = people.get(open.personId)
      if (known) moved(place)
      const somebody = known ?? { place, open: new Set() }
      if (!known) {
        people.set(open.personId, somebody)
        enter(somebody)
      }
      somebody.open.add(open)
      bySid.add(open.sid, open)
      size += 1
    },
    remove: open => {
      const somebody = people.get(open.personId)
      if (!somebody?.open.delete(open)) return
      size -= 1
      bySid.remove(open.sid, open)
      if (somebody.open.size > 0) return
      people.delete(open.personId)
      leave(somebody)
    },
    moved,
    people: () => [...people.keys()],
    ofPerson: personId => [...(people.get(personId)?.open ?? [])],
    of: whom => {
      const streams = new Set<Open>()
      // A group is named by many of the people an event is about, and walked once.
      for (const each of new Map(whom.map(one => [JSON.stringify(one), one])).values())
        for (const open of found(each)) streams.add(open)
      return streams
    },
    all: () => [...people.values()].flatMap(somebody => [...somebody.open]),
  }
}

type Group = Exclude<Whom, { person: string } | { sid: string }>

function groupKey(whom: Group): string {
  if ('role' in whom) return `role ${whom.role}`
  return 'teamOf' in whom ? `team ${whom.teamOf}` : `supervisors ${whom.supervisorsOf}`
}

function groupsOf({ role, supervisorId, managerId }: Place): string[] {
  return [
    groupKey({ role }),
    ...(role === 'user' && supervisorId ? [groupKey({ teamOf: supervisorId })] : []),
    ...(role === 'supervisor' && managerId ? [groupKey({ supervisorsOf: managerId })] : []),
  ]
}

function createIndex<T>() {
  const sets = new Map<string, Set<T>>()
  return {
    get: (key: string): ReadonlySet<T> => sets.get(key) ?? new Set(),
    add: (key: string, value: T) => {
      const set = sets.get(key)
      if (set) set.add(value)
      else sets.set(key, new Set([value]))
    },
    remove: (key: string, value: T) => {
      const set = sets.get(key)
      if (set?.delete(value) && set.size === 0) sets.delete(key)
    },
  }
}
