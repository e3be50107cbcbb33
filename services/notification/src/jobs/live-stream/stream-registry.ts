import type { Audience, OrgPosition } from '../../rules/hints.ts'
import type { BrowserStream } from './browser-stream.ts'

/** An open stream with its owner. */
export interface OwnedStream extends BrowserStream {
  personId: string
  sid: string
}

interface ConnectedPerson {
  position: OrgPosition
  /** Oldest first. */
  streams: Set<OwnedStream>
}

/** The open streams of this process, indexed by audience: a lookup touches no other stream. */
export interface StreamRegistry {
  readonly size: number
  add(stream: OwnedStream, position: OrgPosition): void
  remove(stream: OwnedStream): void
  updatePosition(position: OrgPosition): void
  personIds(): string[]
  /** Oldest first. */
  streamsOf(personId: string): readonly OwnedStream[]
  streamsFor(audiences: readonly Audience[]): Set<OwnedStream>
  allStreams(): OwnedStream[]
}

export function createStreamRegistry(): StreamRegistry {
  const people = new Map<string, ConnectedPerson>()
  const streamsBySid = createIndex<OwnedStream>()
  const peopleByGroup = createIndex<ConnectedPerson>()
  let size = 0

  function index(person: ConnectedPerson) {
    for (const key of groupKeysOf(person.position)) peopleByGroup.add(key, person)
  }
  function unindex(person: ConnectedPerson) {
    for (const key of groupKeysOf(person.position)) peopleByGroup.remove(key, person)
  }

  function lookUp(audience: Audience): Iterable<OwnedStream> {
    if ('sid' in audience) return streamsBySid.get(audience.sid)
    if ('person' in audience) return people.get(audience.person)?.streams ?? []
    return [...peopleByGroup.get(groupKey(audience))].flatMap(person => [...person.streams])
  }

  function updatePosition(position: OrgPosition) {
    const person = people.get(position.id)
    if (!person) return
    unindex(person)
    person.position = position
    index(person)
  }

  return {
    get size() {
      return size
    },
    add: (stream, position) => {
      const connected = people.get(stream.personId)
      if (connected) updatePosition(position)
      const person = connected ?? { position, streams: new Set() }
      if (!connected) {
        people.set(stream.personId, person)
        index(person)
      }
      person.streams.add(stream)
      streamsBySid.add(stream.sid, stream)
      size += 1
    },
    remove: stream => {
      const person = people.get(stream.personId)
      if (!person?.streams.delete(stream)) return
      size -= 1
      streamsBySid.remove(stream.sid, stream)
      if (person.streams.size > 0) return
      people.delete(stream.personId)
      unindex(person)
    },
    updatePosition,
    personIds: () => [...people.keys()],
    streamsOf: personId => [...(people.get(personId)?.streams ?? [])],
    streamsFor: audiences => {
      const streams = new Set<OwnedStream>()
      // Many people of one event may name the same group: look it up once.
      const distinct = new Map(audiences.map(audience => [JSON.stringify(audience), audience]))
      for (const audience of distinct.values()) for (const stream of lookUp(audience)) streams.add(stream)
      return streams
    },
    allStreams: () => [...people.values()].flatMap(person => [...person.streams]),
  }
}

type Group = Exclude<Audience, { person: string } | { sid: string }>

function groupKey(group: Group): string {
  if ('role' in group) return `role ${group.role}`
  return 'teamOf' in group ? `team ${group.teamOf}` : `supervisors ${group.supervisorsOf}`
}

function groupKeysOf({ role, supervisorId, managerId }: OrgPosition): string[] {
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
