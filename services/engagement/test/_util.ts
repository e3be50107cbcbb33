import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import type { HoldSnapshot, PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { type Clock, createManualClock } from '@watchline/kit/clock'
import type { EventBus } from '@watchline/kit/event-bus'
import { newId } from '@watchline/kit/mongo'
import type { Ports, Service } from '@watchline/kit/service'
import {
  type Answer,
  aPerson,
  caller,
  createTestWorld,
  type TestWorld,
  type TestWorldOptions,
} from '@watchline/kit/test-harness'
import type { EngagementConfig } from '../src/config.ts'
import { createEngagementService } from '../src/service.ts'
import type { TrackingLimits } from '../src/tracking.ts'

export const service = 'engagement'

/** What the other services would answer on their internal routes, and how often they were asked. */
interface Owners {
  people: Map<string, PersonSnapshot>
  playlists: Map<string, PlaylistSnapshot>
  /** Key to date. */
  assignments: Map<string, string>
  holds: Map<string, HoldSnapshot[]>
  asked: string[]
  away: boolean
}

async function startOwners(owners: Owners): Promise<{ url: string; server: Server }> {
  const pageOf = <T>(all: Map<string, T>, url: URL): T[] =>
    [...all]
      .filter(([id]) => id > (url.searchParams.get('after') ?? ''))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, Number(url.searchParams.get('limit')))
      .map(([, each]) => each)
  const assignment = (key: string) => {
    const assigned_date = owners.assignments.get(key)
    const [person_id, playlist_id] = key.split(':')
    return assigned_date && { person_id, playlist_id, assigned_date }
  }
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://owners')
    owners.asked.push(url.pathname)
    const [kind, id, other] = url.pathname.split('/').slice(2).map(decodeURIComponent)
    const answers: Record<string, () => unknown> = {
      people: () => (id ? owners.people.get(id) : pageOf(owners.people, url)),
      playlists: () => (id ? owners.playlists.get(id) : pageOf(owners.playlists, url)),
      assignments: () =>
        id
          ? assignment(`${id}:${other}`)
          : pageOf(new Map([...owners.assignments.keys()].map(key => [key, assignment(key)])), url),
      holds: () => owners.holds.get(id!) ?? [],
    }
    const answer = answers[kind!]?.()
    res.statusCode = owners.away ? 503 : answer ? 200 : 404
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

export interface StartOptions {
  ports?: Partial<Ports>
  config?: Partial<EngagementConfig>
  tracking?: TrackingLimits
}

export interface EngagementWorld extends TestWorld {
  clock: Clock & { advance(ms: number): void }
  owners: Owners
  ownersUrl: string
  person(role?: Role, fields?: Partial<PersonSnapshot>): PersonSnapshot
  /** Auth's newer version of a person, of which no event tells. */
  change(person: PersonSnapshot, fields: Partial<PersonSnapshot>): PersonSnapshot
  /** A playlist its owner knows, of which no event tells; one video a duration, named v0, v1, … */
  playlist(durations: number[], fields?: Partial<PlaylistSnapshot>): PlaylistSnapshot
  /** Assigned, as the owner knows it and no event tells. */
  assign(playlist: PlaylistSnapshot, ...people: PersonSnapshot[]): void
  start(options?: StartOptions): Promise<{ service: Service; url: string }>
  /** Every event this service published that reached the bus, in order. */
  published: DomainEvent[]
  of<T extends EventType>(type: T): EventData<T>[]
  /** Publishes as another service would. */
  tell<T extends EventType>(type: T, data: EventData<T>, options?: { id?: string; at?: number }): Promise<void>
}

export async function createEngagementWorld(options: TestWorldOptions = {}): Promise<EngagementWorld> {
  const clock = createManualClock()
  const world = await createTestWorld({ clock, ...options })
  const owners: Owners = {
    people: new Map(),
    playlists: new Map(),
    assignments: new Map(),
    holds: new Map(),
    asked: [],
    away: false,
  }
  const { url: ownersUrl, server } = await startOwners(owners)
  const running: Service[] = []
  const published: DomainEvent[] = []

  function watching(bus: EventBus): EventBus {
    return new Proxy(bus, {
      get: (target, key) => {
        if (key === 'publish')
          return async (event: DomainEvent) => {
            await target.publish(event)
            // Two relays may publish the same event; consumers know it by its id, and so does this list.
            if (event.source === service && !published.some(each => each.id === event.id)) published.push(event)
          }
        const value = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  return {
    ...world,
    clock,
    owners,
    ownersUrl,
    published,
    person: (role = 'user', fields = {}) => {
      const person = aPerson({ role, ...fields })
      owners.people.set(person.id, person)
      return person
    },
    change: (person, fields) => {
      const changed = { ...owners.people.get(person.id)!, ...fields, version: person.version + 1 }
      owners.people.set(person.id, changed)
      return changed
    },
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
      for (const each of people)
        owners.assignments.set(`${each.id}:${playlist.playlist_id}`, new Date(clock.now()).toISOString())
    },
    start: async ({ ports, config, tracking } = {}) => {
      const all = { ...world.ports, ...ports }
      const started = createEngagementService(
        {
          ...world.config,
          authUrl: ownersUrl,
          playbackUrl: ownersUrl,
          maxPlaybackRate: 1,
          timeZone: 'UTC',
          ...config,
        },
        { ...all, bus: watching(all.bus) },
        tracking,
      )
      const { url } = await started.start()
      running.push(started)
      return { service: started, url }
    },
    of: type => published.filter(event => event.type === type).map(event => event.data) as never,
    tell: (type, data, { id = newId(), at = clock.now() } = {}) =>
      world.ports.bus.publish({
        specversion: '1.0',
        id,
        source: 'test',
        type,
        subject: id,
        time: new Date(at).toISOString(),
        data,
      } as DomainEvent),
    close: async () => {
      for (const each of running.reverse()) await each.stop().catch(() => {})
      await new Promise(resolve => server.close(resolve))
      await world.close()
    },
  }
}

/** Somebody at the door of a service, in a login session; every call with a fresh token, because clocks are turned. */
export function as(world: TestWorld, url: string, person: { id: string }, sid?: string) {
  const now = () => caller(url, world.token(person, sid))
  return {
    get: (path: string) => now().get(path),
    post: (path: string, body?: unknown) => now().post(path, body),
  }
}

export type Caller = ReturnType<typeof as>

// biome-ignore lint/suspicious/noExplicitAny: a test looks into documents of every shape
type Row = { _id: string; [field: string]: any }

/** A collection of the service, behind its back. */
export function rows(world: TestWorld, collection: string) {
  return world.database(service).collection<Row>(collection)
}

export const iso = (ms: number) => new Date(ms).toISOString()

/** The lock as playback-session gives and takes it. */
export function lockOf(world: EngagementWorld, personId: string, playlistId: string, sid = `sid-${personId}`) {
  const locks = world.ports.live.locks
  let held: { fence: number; from: number } | undefined
  let fence = Math.floor(Math.random() * 1e6)
  const now = () => world.clock.now()
  const session = () => ({ person_id: personId, sid, playlist_id: playlistId, fence: held!.fence })
  return {
    take: async (takeOver = false) => {
      fence += 1_000
      held = { fence, from: now() }
      await locks.acquire({ personId, sid, fence, playlistId, now: now(), ttlMs: limits.monitoringLockMs, takeOver })
    },
    renew: () => locks.renew(personId, sid, now(), limits.monitoringLockMs),
    /** Gives it back; `told` sends the news at once, otherwise the answer does when called. */
    release: async (told = true) => {
      await locks.release(personId, sid)
      const stopped = {
        ...session(),
        started_at: iso(held!.from),
        stopped_at: iso(now()),
        reason: 'released' as const,
      }
      const hold = { fence: held!.fence, sid, from: iso(held!.from), to: iso(now()) }
      world.owners.holds.set(personId, [hold, ...(world.owners.holds.get(personId) ?? [])])
      const tell = (id?: string) => world.tell('monitoring.stopped', stopped, id === undefined ? {} : { id })
      if (told) await tell()
      return tell
    },
  }
}

export interface Viewing {
  /** Seconds. */
  from?: number
  to: number
  videoId?: string
  rate?: number
  /** How the end is told. */
  end?: 'ended' | 'pause' | 'playing'
  /** The last position lies past where it ended. */
  past?: number
  /** From the event to its arrival. */
  latencyS?: number
}

type Send = (body: Record<string, unknown>) => Promise<Answer>

/** Plays as the client does: `play`, `playing` every 10 s of playback, the end. The lock is taken and given back by the caller. */
export async function play(
  world: EngagementWorld,
  send: Send,
  playlistId: string,
  { from = 0, to, videoId = 'v0', rate = 1, end = 'ended', past = 0, latencyS = 0 }: Viewing,
  renew: () => Promise<unknown> = async () => {},
): Promise<Answer[]> {
  const answers: Answer[] = []
  let raisedAt = world.clock.now()
  const raise = async (type: string, position: number) => {
    const body = {
      playlist_id: playlistId,
      video_id: videoId,
      event_type: type,
      watch_time: position,
      playback_rate: rate,
      client_time: iso(raisedAt),
      event_id: randomUUID(),
    }
    world.clock.advance(Math.max(0, raisedAt + latencyS * 1000 - world.clock.now()))
    await renew()
    answers.push(await send(body))
  }
  await raise('play', from)
  let position = from
  while (to - position > limits.playingEventS) {
    position += limits.playingEventS
    raisedAt += (limits.playingEventS / rate) * 1000
    await raise('playing', position)
  }
  raisedAt += ((to - position) / rate) * 1000
  await raise(end, to + past)
  return answers
}

/** A trainee with a playlist, their lock, and what they were credited. */
export async function aTrainee(world: EngagementWorld, url: string, durations: number[]) {
  const person = world.person('user')
  const playlist = world.playlist(durations)
  world.assign(playlist, person)
  const playlistId = playlist.playlist_id
  const me = as(world, url, person)
  const lock = lockOf(world, person.id, playlistId)
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
