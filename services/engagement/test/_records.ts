import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Verification } from '@watchline/contracts/records'
import type { RecurrenceInput } from '@watchline/contracts/recurrence'
import { callAs, createLock, type EngagementWorld, iso, play } from './_util.ts'

export const dayMs = 24 * 3600_000

export const dueOf = (at: number) => ({ at: iso(at), local: iso(at).slice(0, 16), time_zone: 'UTC' })

interface AssignedTask {
  by: { id: string }
  title?: string
  /** Of the videos, in seconds. */
  durations?: number[]
  /** With the due date as its first one. */
  recurrence?: RecurrenceInput
}

/** Assigns a playlist that is due in a day by an event, as its owner does. Returns its id. */
export async function assignTask(
  world: EngagementWorld,
  people: readonly PersonSnapshot[],
  { by, title = 'Fire safety', durations = [60, 30], recurrence }: AssignedTask,
): Promise<string> {
  const playlist = world.playlist(durations, { title })
  await world.publish('playlist.created', playlist)
  world.assign(playlist, ...people)
  const now = world.clock.now()
  const due = dueOf(now + dayMs)
  await world.publish('playlist.assigned', {
    ...{ playlist_id: playlist.playlist_id, title, by: by.id, assigned: people.map(({ id }) => id) },
    ...{ assigned_date: iso(now), due },
    ...(recurrence && { recurrence: { ...recurrence, first_due: due.local } }),
  })
  return playlist.playlist_id
}

/**
 * Watches the first seconds of a video in a session of its own. Its lock names the time of a reset,
 * in ms, whose event may still be on its way.
 */
export async function watchVideo(
  world: EngagementWorld,
  url: string,
  person: PersonSnapshot,
  { playlistId, videoId = 'v0', to, resetAt }: { playlistId: string; videoId?: string; to: number; resetAt?: number },
): Promise<void> {
  const lock = createLock(world, person.id, playlistId)
  await lock.acquire(false, resetAt)
  const send = (body: Record<string, unknown>) => callAs(world, url, person).post('/engagement/track', body)
  await play(world, send, playlistId, { videoId, to, end: 'pause' }, lock.renew)
  await lock.release()
}

let client = 0

/** The answer to anybody about a code or a file. Each call is from another client. */
export async function verifyDocument(url: string, body: { code: string } | { document: string }) {
  client += 1
  const answer = await fetch(`${url}/api/records/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${client}` },
    body: JSON.stringify(body),
  })
  return { status: answer.status, json: (await answer.json()) as Verification }
}
