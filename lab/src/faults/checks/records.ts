import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'
import type { FaultWorld } from '../fault-world.ts'
import { possibleValues } from '../possible-values.ts'

interface Checking {
  world: Pick<FaultWorld, 'databases'>
  expectedRecords: ExpectedRecords
  callLog: CallLog
}

/** Checks playlists, assignments and people: created once, with the last change. */
export async function checkRecords({ world, expectedRecords, callLog }: Checking): Promise<void> {
  const { databases } = world
  const playback = databases.of('playback-session')
  type PlaylistRow = { _id: string; title: string; created_by: string; shared_with: string[] }
  const live = await playback.collection<PlaylistRow>('playlists').find().toArray()
  const deleted = await playback.collection<PlaylistRow>('deleted_playlists').find().toArray()
  const assignments = await playback.collection<{ _id: string }>('assignments').find().toArray()
  const people = await databases
    .of('auth')
    .collection<{ _id: string; email: string; role: string; supervisor_id: string | null }>('people')
    .find()
    .toArray()

  const playlists = new Map([...live, ...deleted].map(row => [row._id, row]))
  const gone = new Set(deleted.map(row => row._id))
  for (const { id, title } of expectedRecords.playlists) {
    if (id !== undefined && !playlists.has(id)) callLog.violation('playlist lost', `${id} "${title}"`)
    const named = [...playlists.values()].filter(row => row.title === title)
    if (named.length > 1) callLog.violation('playlist doubled', `${named.length} times "${title}"`)
  }
  for (const emails of expectedRecords.imports)
    for (const email of emails) {
      const times = people.filter(each => each.email === email).length
      if (times !== 1) callLog.violation(times ? 'person doubled' : 'person lost', `${email} is there ${times} times`)
    }

  const assigned = new Set(assignments.map(row => row._id))
  const places = new Map(people.map(each => [each._id, each]))
  const now = (what: string, first: string, second = ''): string | undefined => {
    switch (what) {
      case 'title':
        return playlists.get(first)?.title
      case 'deleted':
        return gone.has(first) ? 'yes' : 'no'
      case 'assigned':
        return gone.has(first) ? undefined : assigned.has(`${second}:${first}`) ? 'yes' : 'no'
      case 'shared':
        return playlists.get(first)?.shared_with.includes(second) ? 'yes' : 'no'
      case 'place': {
        const person = places.get(first)
        return JSON.stringify({ role: person?.role, supervisor: person?.supervisor_id ?? '' })
      }
      default:
        return undefined
    }
  }
  for (const [name, writes] of callLog.registers) {
    const [what = '', first = '', second] = name.split(' ')
    const found = now(what, first, second)
    if (found === undefined || !writes.some(each => each.acknowledged)) continue
    const possible = possibleValues(writes)
    if (!possible.includes(found))
      callLog.violation(`${what} lost`, `${name}: is ${found}, acknowledged last was ${possible.slice(-3)}`)
  }
}
