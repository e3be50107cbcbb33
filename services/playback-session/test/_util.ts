import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { Ports } from '@watchline/kit/process/service-host'
import { apiClient } from '@watchline/testing/api-client'
import {
  createEventPublisher,
  type PublishEvent,
  type PublishedEvents,
  recordPublishedEvents,
} from '@watchline/testing/events'
import { createTestWorld, type TestWorld, type TestWorldOptions } from '@watchline/testing/harness'
import { type OwnerServices, startOwnerServices } from '@watchline/testing/owners'
import type { VideoDataLimits } from '../src/clients/youtube/api-call.ts'
import type { PlaybackSessionConfig } from '../src/config.ts'
import { createPlaybackSessionService, type PlaybackSessionService } from '../src/service.ts'
import type { PositionBatchLimits } from '../src/store/position-batcher.ts'

export const service = 'playback-session'

/** No test calls the real YouTube. */
const noYoutube = {
  youtubeApiKey: undefined,
  youtubeApiUrl: 'http://127.0.0.1:9',
  youtubeCoversUrl: 'http://127.0.0.1:9',
  monitoringNotice: 'off',
  monitoringNoticeText: undefined,
} as const

const reminders = { reminderDaysBefore: [1], reminderDaysAfter: [], escalationDaysAfter: [] }

export const mediaSecrets = ['a secret for addresses of files in the tests'] as const
const media = {
  mediaSecrets: [...mediaSecrets] as [string],
  publicUrl: undefined,
  mediaRoot: undefined,
  mediaHosts: [],
}

export interface StartOptions {
  ports?: Partial<Ports>
  config?: Partial<PlaybackSessionConfig>
  saving?: PositionBatchLimits
  videoData?: VideoDataLimits
}

export interface PlaybackWorld
  extends TestWorld,
    Pick<OwnerServices, 'addPerson' | 'changePerson'>,
    Omit<PublishedEvents, 'through'> {
  start(options?: StartOptions): Promise<{ service: PlaybackSessionService; url: string }>
  publish: PublishEvent
  /** The stand-in for auth. */
  authUrl: string
}

export async function createPlaybackWorld(options: TestWorldOptions & { clock?: Clock } = {}): Promise<PlaybackWorld> {
  const world = await createTestWorld(options)
  const auth = await startOwnerServices()
  const { through, published, of } = recordPublishedEvents(service)
  const running: PlaybackSessionService[] = []

  return {
    ...world,
    published,
    of,
    publish: createEventPublisher(world.ports.bus, world.ports.clock),
    authUrl: auth.url,
    addPerson: auth.addPerson,
    changePerson: auth.changePerson,
    start: async ({ ports, config, saving, videoData } = {}) => {
      const allPorts = { ...world.ports, ...ports }
      const started = createPlaybackSessionService(
        {
          ...world.config,
          ...{ timeZone: 'UTC', authUrl: auth.url, maxPlaybackRate: 2 },
          ...reminders,
          ...media,
          ...noYoutube,
          ...config,
        },
        { ...allPorts, bus: through(allPorts.bus) },
        saving,
        videoData,
      )
      const { url } = await started.start()
      running.push(started)
      return { service: started, url }
    },
    close: async () => {
      for (const service of running.reverse()) await service.stop().catch(() => {})
      await auth.close()
      await world.close()
    },
  }
}

export type Caller = ReturnType<typeof apiClient>

/** Calls a service as this person, in a login session. */
export function callAs(world: TestWorld, url: string, person: PersonSnapshot, sid?: string): Caller {
  return apiClient(url, world.token(person, sid))
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into documents of every shape
type StoredDocument = { _id: string; [field: string]: any }

/** A collection of the service, for direct reads and writes. */
export function collectionOf(world: TestWorld, collection: string) {
  return world.database(service).collection<StoredDocument>(collection)
}

export const videos = (count: number, duration = 20) =>
  Array.from({ length: count }, (_, index) => ({
    provider: 'file',
    id: `v${index}`,
    url: `https://media.example.org/v${index}.webm`,
    title: `Video ${index}`,
    duration,
  }))

export async function createPlaylist(maker: Caller, fields: Record<string, unknown> = {}): Promise<{ id: string }> {
  const answer = await maker.post('/playlists', { title: 'Safety', videos: videos(3), ...fields })
  if (answer.status !== 201) throw new Error(`no playlist: ${answer.status} ${answer.text}`)
  return answer.json
}

export async function assignPlaylist(maker: Caller, playlistId: string, ...people: { id: string }[]): Promise<void> {
  const answer = await maker.put(`/playlists/${playlistId}/assign`, { assigned_users: people.map(person => person.id) })
  if (answer.status !== 200) throw new Error(`not assigned: ${answer.status} ${answer.text}`)
}

/** Creates a supervisor with a team and a playlist assigned to the whole team. */
export async function createTeamWithPlaylist(
  world: PlaybackWorld,
  url: string,
  size = 1,
  fields: Record<string, unknown> = {},
) {
  const supervisor = world.addPerson('supervisor')
  const team = Array.from({ length: size }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
  const boss = callAs(world, url, supervisor)
  const playlist = await createPlaylist(boss, fields)
  await assignPlaylist(boss, playlist.id, ...team)
  return { supervisor, boss, team, trainee: team[0]!, playlist }
}

/** Publishes that a person has completed a playlist, as engagement does; `at` in ms. */
export function completeTask(world: PlaybackWorld, personId: string, playlistId: string, at: number): Promise<void> {
  const completed_at = new Date(at).toISOString()
  return world.publish('playlist.completed', { person_id: personId, playlist_id: playlistId, completed_at })
}
