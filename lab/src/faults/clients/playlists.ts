import { randomUUID } from 'node:crypto'
import type { Member, Team } from '../../shared/organisation.ts'
import type { Entry, Lane } from '../call-log.ts'
import { caller, createQuietPeriods, type LoadClients, repeatUntilStopped, type Task } from './load.ts'

const clipS = 5
const clipsEach = 2
const waitingTasks = 2
const scratchKept = 5

type Call = ReturnType<typeof caller>

interface Scratch {
  id: string
  title: string
  revision: number
  assigned: Set<string>
}

const videosOf = (count: number, duration: number) =>
  Array.from({ length: count }, (_, index) => ({
    provider: 'file',
    id: `clip${index}`,
    url: `/media/clip${index}.webm`,
    title: `Clip ${index}`,
    duration: duration + index / 2,
  }))

/** Creates a playlist with one call, because a second would create another. Without an answer it looks the result up. */
export async function createPlaylist(
  clients: LoadClients,
  call: Call,
  maker: Member,
  videos = videosOf(clipsEach, clipS),
): Promise<Scratch & Task> {
  for (;;) {
    const title = `By ${maker.name} ${randomUUID()}`
    const record: (typeof clients.expectedRecords.playlists)[number] = { title, createdBy: maker.id }
    clients.expectedRecords.playlists.push(record)
    const created = await call('POST', '/playlists', { title, description: '', videos }, { resend: false })
    let found = created.acknowledged ? created.json : undefined
    if (!found) {
      const listed = await call('GET', '/playlists?limit=50')
      found = listed.acknowledged ? listed.json.find((each: { title: string }) => each.title === title) : undefined
    }
    if (!found) {
      if (clients.stopping.aborted) throw new Stopped()
      continue
    }
    record.id = found.id
    clients.callLog.wrote(`title ${found.id}`, title, created)
    return { id: found.id, playlistId: found.id, title, revision: found.revision, assigned: new Set(), videos }
  }
}

/** The load stopped before the playlist was created. */
class Stopped extends Error {}

export async function assign(
  clients: LoadClients,
  call: Call,
  playlistId: string,
  people: readonly Member[],
): Promise<Entry> {
  const ids = people.map(each => each.id)
  const entry = await call('PUT', `/playlists/${playlistId}/assign`, { assigned_users: ids })
  for (const id of ids) {
    clients.callLog.wrote(`assigned ${playlistId} ${id}`, 'yes', entry)
    const known = clients.expectedRecords.assigned.get(id) ?? { least: 0, most: 0 }
    // A call for one trainee, answered at the first attempt, shows whether the assignment was new.
    const certain = entry.acknowledged && entry.tries.length === 1 && entry.json.assigned === ids.length
    known.least += certain ? 1 : 0
    known.most += entry.tries.length
    clients.expectedRecords.assigned.set(id, known)
  }
  return entry
}

/** A supervisor who assigns playlists to the team, and creates, edits and deletes others. */
export async function supply(clients: LoadClients, { supervisor, trainees }: Team): Promise<void> {
  const lane: Lane = { area: 'playlists', who: supervisor.name }
  const call = caller(clients, supervisor.browser, lane)
  const scratch: Scratch[] = []
  const rest = createQuietPeriods()

  await repeatUntilStopped(clients, [lane], 500, async () => {
    try {
      const idle = trainees.filter(each => clients.tasks.get(each.id)!.length < waitingTasks)
      if (idle.length > 0) {
        const { playlistId, videos } = await createPlaylist(clients, call, supervisor)
        const { acknowledged } = await assign(clients, call, playlistId, idle)
        if (acknowledged) for (const each of idle) clients.tasks.get(each.id)!.push({ playlistId, videos })
        return
      }
      await workOn(clients, call, { supervisor, trainees, scratch, rest })
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    }
  })
}

interface Work {
  supervisor: Member
  trainees: Member[]
  scratch: Scratch[]
  rest: ReturnType<typeof createQuietPeriods>
}

/** Makes one change to one of the supervisor's other playlists. */
async function workOn(clients: LoadClients, call: Call, { supervisor, trainees, scratch, rest }: Work): Promise<void> {
  const ready = scratch.filter(each => !rest.isResting(each.id))
  const playlist = ready[Math.floor(Math.random() * ready.length)]
  if (!playlist || (scratch.length < scratchKept && Math.random() < 0.3)) {
    scratch.push(await createPlaylist(clients, call, supervisor))
    return
  }
  const chance = Math.random()
  const path = `/playlists/${playlist.id}`
  if (chance < 0.4) return edit(clients, call, playlist)
  const trainee = trainees[Math.floor(Math.random() * trainees.length)]!
  let entry: Entry
  if (chance < 0.9 && !playlist.assigned.has(trainee.id)) {
    entry = await assign(clients, call, playlist.id, [trainee])
    if (entry.acknowledged) playlist.assigned.add(trainee.id)
  } else if (chance < 0.9) {
    entry = await call('DELETE', `${path}/assign`, { assigned_users: [trainee.id] })
    clients.callLog.wrote(`assigned ${playlist.id} ${trainee.id}`, 'no', entry)
    if (entry.acknowledged) playlist.assigned.delete(trainee.id)
  } else {
    entry = await call('DELETE', path)
    clients.callLog.wrote(`deleted ${playlist.id}`, 'yes', entry)
    scratch.splice(scratch.indexOf(playlist), 1)
  }
  rest.after(playlist.id, entry)
}

/** Edits with the known revision, so that a late attempt changes nothing. */
async function edit(clients: LoadClients, call: Call, playlist: Scratch): Promise<void> {
  const title = `Edited ${randomUUID()}`
  const body = { title, description: 'edited', revision: playlist.revision }
  const path = `/playlists/${playlist.id}`
  const entry = await call('PUT', path, body, { expected: [409] })
  // An earlier unanswered attempt may have made the change.
  const now = entry.acknowledged ? entry : await call('GET', path)
  if (!now.acknowledged) return
  if (now.json.title !== title) {
    const what = `the edit "${title}" of ${playlist.id} was refused as made elsewhere; it is "${now.json.title}"`
    if (entry.tries.length === 1) clients.callLog.violation('refused', what)
  } else clients.callLog.wrote(`title ${playlist.id}`, title, { tries: [...entry.tries, now.tries.at(-1)!] })
  Object.assign(playlist, { title: now.json.title, revision: now.json.revision })
}

/** A manager who shares playlists with a supervisor and unshares them. */
export async function share(clients: LoadClients, manager: Member, supervisor: Member): Promise<void> {
  const lane: Lane = { area: 'playlists', who: manager.name }
  const call = caller(clients, manager.browser, lane)
  const own: (Scratch & { shared: boolean })[] = []
  const rest = createQuietPeriods()
  await repeatUntilStopped(clients, [lane], 1_000, async () => {
    try {
      const ready = own.filter(each => !rest.isResting(each.id))
      const playlist = ready[Math.floor(Math.random() * ready.length)]
      if (!playlist || own.length < 2) {
        own.push({ ...(await createPlaylist(clients, call, manager)), shared: false })
        return
      }
      const wanted = !playlist.shared
      const body = { supervisor_ids: [supervisor.id] }
      const entry = await call(wanted ? 'PUT' : 'DELETE', `/playlists/${playlist.id}/share`, body)
      clients.callLog.wrote(`shared ${playlist.id} ${supervisor.id}`, wanted ? 'yes' : 'no', entry)
      if (entry.acknowledged) playlist.shared = wanted
      rest.after(playlist.id, entry)
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    }
  })
}
