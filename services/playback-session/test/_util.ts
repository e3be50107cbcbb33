import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import type { Clock } from '@watchline/kit/clock'
import type { EventBus } from '@watchline/kit/event-bus'
import { newId } from '@watchline/kit/mongo'
import type { Ports } from '@watchline/kit/service'
import { aPerson, caller, createTestWorld, type TestWorld, type TestWorldOptions } from '@watchline/kit/test-harness'
import type { PlaybackSessionConfig } from '../src/config.ts'
import type { SavingLimits } from '../src/saving.ts'
import { createPlaybackSessionService, type PlaybackSessionService } from '../src/service.ts'
import type { VideoDataLimits } from '../src/youtube/client.ts'

export const service = 'playback-session'

/** The people as auth would tell of them, behind its internal routes. */
async function startAuth(people: Map<string, PersonSnapshot>): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://auth')
    const id = /^\/internal\/people\/(.+)$/.exec(url.pathname)?.[1]
    const after = url.searchParams.get('after') ?? ''
    const limit = Number(url.searchParams.get('limit'))
    const page = [...people.values()].filter(each => each.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
    const answer = id ? people.get(decodeURIComponent(id)) : page.slice(0, limit)
    res.statusCode = answer ? 200 : 404
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** Nothing is ever asked of the real one. */
const noYoutube = { youtubeApiKey: undefined, youtubeApiUrl: 'http://127.0.0.1:9' }

export interface StartOptions {
  ports?: Partial<Ports>
  config?: Partial<PlaybackSessionConfig>
  saving?: SavingLimits
  videoData?: VideoDataLimits
}

export interface PlaybackWorld extends TestWorld {
  /** Somebody auth knows; the service hears of them by reading through. */
  person(role?: Role, fields?: Partial<PersonSnapshot>): PersonSnapshot
  /** Auth's newer version of a person, of which no event tells. */
  change(person: PersonSnapshot, fields: Partial<PersonSnapshot>): PersonSnapshot
  start(options?: StartOptions): Promise<{ service: PlaybackSessionService; url: string }>
  /** Every event this service published that reached the bus, once and in order. */
  published: DomainEvent[]
  of<T extends EventType>(type: T): EventData<T>[]
  /** Publishes as another service would. */
  tell<T extends EventType>(type: T, data: EventData<T>, id?: string): Promise<void>
}

export async function createPlaybackWorld(options: TestWorldOptions & { clock?: Clock } = {}): Promise<PlaybackWorld> {
  const world = await createTestWorld(options)
  const people = new Map<string, PersonSnapshot>()
  const auth = await startAuth(people)
  const running: PlaybackSessionService[] = []
  const published: DomainEvent[] = []

  /** Sees what is published without a queue of its own. */
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
    published,
    person: (role = 'user', fields = {}) => {
      const person = aPerson({ role, ...fields })
      people.set(person.id, person)
      return person
    },
    change: (person, fields) => {
      const changed = { ...people.get(person.id)!, ...fields, version: people.get(person.id)!.version + 1 }
      people.set(person.id, changed)
      return changed
    },
    start: async ({ ports, config, saving, videoData } = {}) => {
      const all = { ...world.ports, ...ports }
      const started = createPlaybackSessionService(
        { ...world.config, timeZone: 'UTC', authUrl: auth.url, ...noYoutube, ...config },
        { ...all, bus: watching(all.bus) },
        saving,
        videoData,
      )
      const { url } = await started.start()
      running.push(started)
      return { service: started, url }
    },
    of: type => published.filter(event => event.type === type).map(event => event.data) as never,
    tell: (type, data, id = newId()) =>
      world.ports.bus.publish({
        specversion: '1.0',
        id,
        source: 'test',
        type,
        subject: id,
        time: new Date(world.ports.clock.now()).toISOString(),
        data,
      } as DomainEvent),
    close: async () => {
      for (const each of running.reverse()) await each.stop().catch(() => {})
      await new Promise(resolve => auth.server.close(resolve))
      await world.close()
    },
  }
}

export type Caller = ReturnType<typeof caller>

/** Somebody at the door of a service, in a login session. */
export function as(world: TestWorld, url: string, person: PersonSnapshot, sid?: string): Caller {
  return caller(url, world.token(person, sid))
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into documents of every shape
type Row = { _id: string; [field: string]: any }

/** A collection of the service, behind its back. */
export function rows(world: TestWorld, collection: string) {
  return world.database(service).collection<Row>(collection)
}

export const videos = (count: number, duration = 20) =>
  Array.from({ length: count }, (_, index) => ({
    provider: 'file',
    id: `v${index}`,
    url: `https://media.example.org/v${index}.webm`,
    title: `Video ${index}`,
    duration,
  }))

export async function aPlaylist(maker: Caller, fields: Record<string, unknown> = {}): Promise<{ id: string }> {
  const answer = await maker.post('/playlists', { title: 'Safety', videos: videos(3), ...fields })
  if (answer.status !== 201) throw new Error(`no playlist: ${answer.status} ${answer.text}`)
  return answer.json
}

export async function assigned(maker: Caller, playlistId: string, ...people: { id: string }[]): Promise<void> {
  const answer = await maker.put(`/playlists/${playlistId}/assign`, { assigned_users: people.map(each => each.id) })
  if (answer.status !== 200) throw new Error(`not assigned: ${answer.status} ${answer.text}`)
}

/** A supervisor with a team, and a playlist assigned to all of it. */
export async function aTeamWatching(world: PlaybackWorld, url: string, size = 1, fields: Record<string, unknown> = {}) {
  const supervisor = world.person('supervisor')
  const team = Array.from({ length: size }, () => world.person('user', { supervisor_id: supervisor.id }))
  const boss = as(world, url, supervisor)
  const playlist = await aPlaylist(boss, fields)
  await assigned(boss, playlist.id, ...team)
  return { supervisor, boss, team, trainee: team[0]!, playlist }
}
