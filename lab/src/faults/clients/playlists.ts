import { randomUUID } from 'node:crypto'
import type { Member, Team } from '../../shared/organisation.ts'
import type { CallRecord, Lane } from '../call-log.ts'
import { createCaller, createQuietPeriods, type LoadClients, repeatUntilStopped, type Task } from './load.ts'

const clipS = 5
const clipsPerPlaylist = 2
const maxOpenTasks = 2
const maxScratchPlaylists = 5

type Call = ReturnType<typeof createCaller>

interface ScratchPlaylist {
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

/**
 * Creates a playlist with one call, because a resent call would create another playlist. Without an
 * answer it looks the playlist up by its title.
 */
export async function createPlaylist(
  clients: LoadClients,
  call: Call,
  creator: Member,
  videos = videosOf(clipsPerPlaylist, clipS),
): Promise<ScratchPlaylist & Task> {
  for (;;) {
    const title = `By ${creator.name} ${randomUUID()}`
    const record: (typeof clients.expectedRecords.playlists)[number] = { title, createdBy: creator.id }
    clients.expectedRecords.playlists.push(record)
    const created = await call('POST', '/playlists', { title, description: '', videos }, { canResend: false })
    let found = created.acknowledged ? created.json : undefined
    if (!found) {
      const listed = await call('GET', '/playlists?limit=50')
      found = listed.acknowledged
        ? listed.json.find((playlist: { title: string }) => playlist.title === title)
        : undefined
    }
    if (!found) {
      if (clients.stopping.aborted) throw new LoadStopped()
      continue
    }
    record.id = found.id
    clients.callLog.recordWrite(`title ${found.id}`, title, created)
    return { id: found.id, playlistId: found.id, title, revision: found.revision, assigned: new Set(), videos }
  }
}

/** The load stopped before the playlist was created. */
class LoadStopped extends Error {}

export async function assignPlaylist(
  clients: LoadClients,
  call: Call,
  playlistId: string,
  people: readonly Member[],
): Promise<CallRecord> {
  const ids = people.map(person => person.id)
  const entry = await call('PUT', `/playlists/${playlistId}/assign`, { assigned_users: ids })
  for (const id of ids) {
    clients.callLog.recordWrite(`assigned ${playlistId} ${id}`, 'yes', entry)
    const counts = clients.expectedRecords.assigned.get(id) ?? { min: 0, max: 0 }
    // A call for one trainee, answered at the first attempt, shows whether the assignment was new.
    const isCertain = entry.acknowledged && entry.attempts.length === 1 && entry.json.assigned === ids.length
    counts.min += isCertain ? 1 : 0
    counts.max += entry.attempts.length
    clients.expectedRecords.assigned.set(id, counts)
  }
  return entry
}

/** A supervisor who assigns playlists to the team, and creates, edits and deletes others. */
export async function supplyPlaylists(clients: LoadClients, { supervisor, trainees }: Team): Promise<void> {
  const lane: Lane = { area: 'playlists', client: supervisor.name }
  const call = createCaller(clients, supervisor.browser, lane)
  const scratchPlaylists: ScratchPlaylist[] = []
  const quietPeriods = createQuietPeriods(clients.callLog)

  await repeatUntilStopped(clients, [lane], 500, async () => {
    try {
      const idleTrainees = trainees.filter(trainee => clients.tasks.get(trainee.id)!.length < maxOpenTasks)
      if (idleTrainees.length > 0) {
        const { playlistId, videos } = await createPlaylist(clients, call, supervisor)
        const { acknowledged } = await assignPlaylist(clients, call, playlistId, idleTrainees)
        if (acknowledged)
          for (const trainee of idleTrainees) clients.tasks.get(trainee.id)!.push({ playlistId, videos })
        return
      }
      await changePlaylist(clients, call, { supervisor, trainees, scratchPlaylists, quietPeriods })
    } catch (error) {
      if (!(error instanceof LoadStopped)) throw error
    }
  })
}

interface PlaylistWork {
  supervisor: Member
  trainees: Member[]
  scratchPlaylists: ScratchPlaylist[]
  quietPeriods: ReturnType<typeof createQuietPeriods>
}

/** Makes one change to one of the supervisor's other playlists. */
async function changePlaylist(
  clients: LoadClients,
  call: Call,
  { supervisor, trainees, scratchPlaylists, quietPeriods }: PlaylistWork,
): Promise<void> {
  const candidates = scratchPlaylists.filter(({ id }) => !quietPeriods.mayHaveUnansweredWrite(id))
  const playlist = candidates[Math.floor(Math.random() * candidates.length)]
  if (!playlist || (scratchPlaylists.length < maxScratchPlaylists && Math.random() < 0.3)) {
    scratchPlaylists.push(await createPlaylist(clients, call, supervisor))
    return
  }
  const chance = Math.random()
  const path = `/playlists/${playlist.id}`
  if (chance < 0.4) return editPlaylist(clients, call, playlist)
  const trainee = trainees[Math.floor(Math.random() * trainees.length)]!
  let entry: CallRecord
  if (chance < 0.9 && !playlist.assigned.has(trainee.id)) {
    entry = await assignPlaylist(clients, call, playlist.id, [trainee])
    if (entry.acknowledged) playlist.assigned.add(trainee.id)
  } else if (chance < 0.9) {
    entry = await call('DELETE', `${path}/assign`, { assigned_users: [trainee.id] })
    clients.callLog.recordWrite(`assigned ${playlist.id} ${trainee.id}`, 'no', entry)
    if (entry.acknowledged) playlist.assigned.delete(trainee.id)
  } else {
    entry = await call('DELETE', path)
    clients.callLog.recordWrite(`deleted ${playlist.id}`, 'yes', entry)
    scratchPlaylists.splice(scratchPlaylists.indexOf(playlist), 1)
  }
  quietPeriods.startIfUnanswered(playlist.id, entry)
}

/** Edits with the known revision, so that a late attempt changes nothing. */
async function editPlaylist(clients: LoadClients, call: Call, playlist: ScratchPlaylist): Promise<void> {
  const title = `Edited ${randomUUID()}`
  const body = { title, description: 'edited', revision: playlist.revision }
  const path = `/playlists/${playlist.id}`
  const entry = await call('PUT', path, body, { acceptedStatuses: [409] })
  // An earlier unanswered attempt may have made the change.
  const current = entry.acknowledged ? entry : await call('GET', path)
  if (!current.acknowledged) return
  if (current.json.title !== title) {
    const detail = `the edit "${title}" of ${playlist.id} was refused as a conflict; the title is "${current.json.title}"`
    if (entry.attempts.length === 1) clients.callLog.reportViolation('refused', detail)
  } else
    clients.callLog.recordWrite(`title ${playlist.id}`, title, {
      attempts: [...entry.attempts, current.attempts.at(-1)!],
    })
  Object.assign(playlist, { title: current.json.title, revision: current.json.revision })
}

/** A manager who shares playlists with a supervisor and unshares them. */
export async function sharePlaylists(clients: LoadClients, manager: Member, supervisor: Member): Promise<void> {
  const lane: Lane = { area: 'playlists', client: manager.name }
  const call = createCaller(clients, manager.browser, lane)
  const managerPlaylists: (ScratchPlaylist & { shared: boolean })[] = []
  const quietPeriods = createQuietPeriods(clients.callLog)
  await repeatUntilStopped(clients, [lane], 1_000, async () => {
    try {
      const candidates = managerPlaylists.filter(({ id }) => !quietPeriods.mayHaveUnansweredWrite(id))
      const playlist = candidates[Math.floor(Math.random() * candidates.length)]
      if (!playlist || managerPlaylists.length < 2) {
        managerPlaylists.push({ ...(await createPlaylist(clients, call, manager)), shared: false })
        return
      }
      const shared = !playlist.shared
      const body = { supervisor_ids: [supervisor.id] }
      const entry = await call(shared ? 'PUT' : 'DELETE', `/playlists/${playlist.id}/share`, body)
      clients.callLog.recordWrite(`shared ${playlist.id} ${supervisor.id}`, shared ? 'yes' : 'no', entry)
      if (entry.acknowledged) playlist.shared = shared
      quietPeriods.startIfUnanswered(playlist.id, entry)
    } catch (error) {
      if (!(error instanceof LoadStopped)) throw error
    }
  })
}
