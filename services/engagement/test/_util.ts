import { randomUUID } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import type { Clock } from '@watchline/kit/core/clock'
import { newId } from '@watchline/kit/mongo/database'
import type { Ports } from '@watchline/kit/process/service-host'
import { type ApiResponse, apiClient } from '@watchline/testing/api-client'
import {
  createEventPublisher,
  type PublishEvent,
  type PublishedEvents,
  recordPublishedEvents,
} from '@watchline/testing/events'
import { createTestWorld, type TestWorld, type TestWorldOptions, testRecordKey } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { type OwnerServices, startOwnerServices } from '@watchline/testing/owners'
import type { ReportCommitLimits } from '../src/actions/commit-reports.ts'
import type { EngagementConfig } from '../src/config.ts'
import { createEngagementService, type EngagementService } from '../src/service.ts'

export const service = 'engagement'

export interface StartOptions {
  ports?: Partial<Ports>
  config?: Partial<EngagementConfig>
  tracking?: ReportCommitLimits
}

export interface EngagementWorld
  extends TestWorld,
    Pick<OwnerServices, 'addPerson' | 'changePerson'>,
    Omit<PublishedEvents, 'through'> {
  clock: Clock & { advance(ms: number): void }
  owners: OwnerServices
  /** A playlist of the owner, without an event. One video for each duration: v0, v1, … */
  playlist(durations: number[], fields?: Partial<PlaylistSnapshot>): PlaylistSnapshot
  /** Assigns at the owner, without an event. */
  assign(playlist: PlaylistSnapshot, ...people: PersonSnapshot[]): void
  start(options?: StartOptions): Promise<{ service: EngagementService; url: string }>
  publish: PublishEvent
}

export async function createEngagementWorld(options: TestWorldOptions = {}): Promise<EngagementWorld> {
  const clock = createManualClock()
  const world = await createTestWorld({ clock, ...options })
  const owners = await startOwnerServices()
  const { through, published, of } = recordPublishedEvents(service)
  const running: EngagementService[] = []

  return {
    ...world,
    clock,
    owners,
    published,
    of,
    publish: createEventPublisher(world.ports.bus, clock),
    addPerson: owners.addPerson,
    changePerson: owners.changePerson,
    playlist: (durations, fields = {}) => {
      const playlist: PlaylistSnapshot = {
        playlist_id: newId(),
        title: 'Safety',
        created_by: 'somebody',
        shared_with: [],
        revision: 1,
        videos: durations.map((duration, index) => ({
          id: `v${index}`,
          title: `Video ${index}`,
          duration,
          unavailable: false,
        })),
        ...fields,
      }
      owners.playlists.set(playlist.playlist_id, playlist)
      return playlist
    },
    assign: (playlist, ...people) => {
      const { playlist_id } = playlist
      for (const { id: person_id } of people)
        owners.assignments.set(`${person_id}:${playlist_id}`, {
          person_id,
          playlist_id,
          assigned_date: iso(clock.now()),
        })
    },
    start: async ({ ports, config, tracking } = {}) => {
      const allPorts = { ...world.ports, ...ports }
      const started = createEngagementService(
        {
          ...world.config,
          authUrl: owners.url,
          playbackUrl: owners.url,
          maxPlaybackRate: 1,
          timeZone: 'UTC',
          publicUrl: undefined,
          recordPrivateKey: testRecordKey(),
          ...config,
        },
        { ...allPorts, bus: through(allPorts.bus) },
        tracking,
      )
      const { url } = await started.start()
      running.push(started)
      return { service: started, url }
    },
    close: async () => {
      for (const service of running.reverse()) await service.stop().catch(() => {})
      await owners.close()
      await world.close()
    },
  }
}

/**
 * A client of a person in a login session. Every call has a new token, because tests advance the
 * clock.
 */
export function callAs(world: TestWorld, url: string, person: { id: string }, sid?: string) {
  const now = () => apiClient(url, world.token(person, sid))
  return {
    get: (path: string) => now().get(path),
    post: (path: string, body?: unknown) => now().post(path, body),
    put: (path: string, body?: unknown) => now().put(path, body),
    delete: (path: string) => now().delete(path),
  }
}

export type Caller = ReturnType<typeof callAs>

// biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape
type StoredDocument = { _id: string; [field: string]: any }

/** Direct access to a collection of the service. */
export function collectionOf(world: TestWorld, collection: string) {
  return world.database(service).collection<StoredDocument>(collection)
}

export const iso = (ms: number) => new Date(ms).toISOString()

/** Acquires and releases the lock as playback-session does. */
export function createLock(world: EngagementWorld, personId: string, playlistId: string, sid = `sid-${personId}`) {
  const locks = world.ports.live.locks
  let current: { fence: number; from: number } | undefined
  let fence = Math.floor(Math.random() * 1e6)
  const now = () => world.clock.now()
  const session = () => ({ person_id: personId, sid, playlist_id: playlistId, fence: current!.fence })
  return {
    /** `resetAt`: of the task, in ms. */
    acquire: async (takeOver = false, resetAt?: number) => {
      fence += 1_000
      current = { fence, from: now() }
      const lock = { personId, sid, fence, playlistId, resetAt }
      await locks.acquire({ ...lock, now: now(), ttlMs: limits.monitoringLockMs, takeOver })
    },
    renew: () => locks.renew(personId, sid, now(), limits.monitoringLockMs),
    /** Returns a function that publishes the end of a lock whose last renewal was now. */
    expire: () => {
      const ended = { started_at: iso(current!.from), stopped_at: iso(now()), reason: 'expired' as const }
      const stopped = { ...session(), ...ended }
      return () => world.publish('monitoring.stopped', stopped)
    },
    /** Returns a function that publishes `monitoring.stopped`. `publishes` calls it at once. */
    release: async (publishes = true) => {
      await locks.release(personId, sid)
      const stopped = {
        ...session(),
        started_at: iso(current!.from),
        stopped_at: iso(now()),
        reason: 'released' as const,
      }
      const interval = { fence: current!.fence, sid, from: iso(current!.from), to: iso(now()) }
      world.owners.lockIntervals.set(personId, [interval, ...(world.owners.lockIntervals.get(personId) ?? [])])
      const publishStopped = (id?: string) =>
        world.publish('monitoring.stopped', stopped, id === undefined ? {} : { id })
      if (publishes) await publishStopped()
      return publishStopped
    },
  }
}

export interface Viewing {
  /** Seconds. */
  from?: number
  to: number
  videoId?: string
  rate?: number
  /** Event type of the last report. */
  end?: 'ended' | 'pause' | 'playing'
  /** Seconds that the last position lies past the end. */
  past?: number
  /** Seconds from an event to its arrival. */
  latencyS?: number
}

type Send = (body: Record<string, unknown>) => Promise<ApiResponse>

/**
 * Plays as the client does: `play`, `playing` every 10 s, the end. The caller acquires the lock.
 */
export async function play(
  world: EngagementWorld,
  send: Send,
  playlistId: string,
  { from = 0, to, videoId = 'v0', rate = 1, end = 'ended', past = 0, latencyS = 0 }: Viewing,
  renew: () => Promise<unknown> = async () => {},
): Promise<ApiResponse[]> {
  const answers: ApiResponse[] = []
  let eventAt = world.clock.now()
  const sendEvent = async (type: string, position: number) => {
    const body = {
      playlist_id: playlistId,
      video_id: videoId,
      event_type: type,
      watch_time: position,
      playback_rate: rate,
      client_time: iso(eventAt),
      event_id: randomUUID(),
    }
    world.clock.advance(Math.max(0, eventAt + latencyS * 1000 - world.clock.now()))
    await renew()
    answers.push(await send(body))
  }
  await sendEvent('play', from)
  let position = from
  while (to - position > limits.playingEventS) {
    position += limits.playingEventS
    eventAt += (limits.playingEventS / rate) * 1000
    await sendEvent('playing', position)
  }
  eventAt += ((to - position) / rate) * 1000
  await sendEvent(end, to + past)
  return answers
}

/** Creates a trainee with a playlist, a lock and their credit. */
export async function createTrainee(world: EngagementWorld, url: string, durations: number[]) {
  const person = world.addPerson('user')
  const playlist = world.playlist(durations)
  world.assign(playlist, person)
  const playlistId = playlist.playlist_id
  const me = callAs(world, url, person)
  const lock = createLock(world, person.id, playlistId)
  const track = (body: Record<string, unknown>, caller = me) =>
    caller.post('/engagement/track', { playlist_id: playlistId, video_id: 'v0', event_type: 'playing', ...body })
  const watched = async (index = 0) => {
    const answer = await me.get(`/engagement/watched/${playlistId}`)
    return answer.json.videos[index]
  }
  return {
    person,
    playlist,
    playlistId,
    me,
    lock,
    track,
    watched,
    send: (body: Record<string, unknown>) => track(body),
  }
}

export const peopleNames = [
  'admin',
  'director',
  'manager',
  'otherManager',
  'supervisor',
  'otherSupervisor',
  'trainee1',
  'trainee2',
  'trainee3',
] as const
export type PeopleByName = Record<(typeof peopleNames)[number], PersonSnapshot>

/**
 * Creates a manager with a supervisor and two trainees, a supervisor without a manager with the
 * third trainee, and one more person of each staff role.
 */
export function createPeople(
  world: EngagementWorld,
  names: Partial<Record<keyof PeopleByName, string>> = {},
): PeopleByName {
  const nameField = (name: keyof PeopleByName) => (names[name] === undefined ? {} : { name: names[name] })
  const manager = world.addPerson('manager', nameField('manager'))
  const supervisor = world.addPerson('supervisor', { ...nameField('supervisor'), manager_id: manager.id })
  const otherSupervisor = world.addPerson('supervisor', nameField('otherSupervisor'))
  const trainee = (name: keyof PeopleByName, { id }: PersonSnapshot) =>
    world.addPerson('user', { ...nameField(name), supervisor_id: id })
  return {
    admin: world.addPerson('admin', nameField('admin')),
    director: world.addPerson('director', nameField('director')),
    manager,
    otherManager: world.addPerson('manager', nameField('otherManager')),
    supervisor,
    otherSupervisor,
    trainee1: trainee('trainee1', supervisor),
    trainee2: trainee('trainee2', supervisor),
    trainee3: trainee('trainee3', otherSupervisor),
  }
}
