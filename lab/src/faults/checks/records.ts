import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'
import type { FaultWorld } from '../fault-world.ts'
import { possibleValues } from '../possible-values.ts'

interface CheckInput {
  world: Pick<FaultWorld, 'databases'>
  expectedRecords: ExpectedRecords
  callLog: CallLog
}

/** Checks playlists, assignments and people: created once, with the last acknowledged value. */
export async function checkRecords({ world, expectedRecords, callLog }: CheckInput): Promise<void> {
  const { databases } = world
  const playback = databases.of('playback-session')
  type PlaylistRow = { _id: string; title: string; created_by: string; shared_with: string[] }
  const livePlaylists = await playback.collection<PlaylistRow>('playlists').find().toArray()
  const deletedPlaylists = await playback.collection<PlaylistRow>('deleted_playlists').find().toArray()
  const assignments = await playback.collection<{ _id: string }>('assignments').find().toArray()
  const people = await databases
    .of('auth')
    .collection<{ _id: string; email: string; role: string; supervisor_id: string | null }>('people')
    .find()
    .toArray()

  const playlists = new Map([...livePlaylists, ...deletedPlaylists].map(row => [row._id, row]))
  const deletedIds = new Set(deletedPlaylists.map(row => row._id))
  for (const { id, title } of expectedRecords.playlists) {
    if (id !== undefined && !playlists.has(id)) callLog.reportViolation('playlist lost', `${id} "${title}"`)
    const sameTitle = [...playlists.values()].filter(row => row.title === title)
    if (sameTitle.length > 1) callLog.reportViolation('playlist doubled', `${sameTitle.length} playlists "${title}"`)
  }
  for (const emails of expectedRecords.imports)
    for (const email of emails) {
      const times = people.filter(person => person.email === email).length
      if (times !== 1)
        callLog.reportViolation(times ? 'person doubled' : 'person lost', `${email} is stored ${times} times`)
    }

  const assigned = new Set(assignments.map(row => row._id))
  const peopleById = new Map(people.map(person => [person._id, person]))
  const findStored = (field: string, id: string, relatedId = ''): string | undefined => {
    switch (field) {
      case 'title':
        return playlists.get(id)?.title
      case 'deleted':
        return deletedIds.has(id) ? 'yes' : 'no'
      case 'assigned':
        return deletedIds.has(id) ? undefined : assigned.has(`${relatedId}:${id}`) ? 'yes' : 'no'
      case 'shared':
        return playlists.get(id)?.shared_with.includes(relatedId) ? 'yes' : 'no'
      case 'membership': {
        const person = peopleById.get(id)
        return JSON.stringify({ role: person?.role, supervisor: person?.supervisor_id ?? '' })
      }
      default:
        return undefined
    }
  }
  for (const [name, writes] of callLog.fieldWrites) {
    const [field = '', id = '', relatedId] = name.split(' ')
    const stored = findStored(field, id, relatedId)
    if (stored === undefined || !writes.some(write => write.acknowledged)) continue
    const possible = possibleValues(writes)
    if (!possible.includes(stored))
      callLog.reportViolation(`${field} lost`, `${name}: stored is ${stored}, possible are ${possible.slice(-3)}`)
  }
}
