import type { AssignableRole } from '@watchline/contracts/people'
import { freePort } from '@watchline/kit/core/free-port'
import { type ApiResponse, apiClient } from '@watchline/testing/api-client'
import { createEventPublisher } from '@watchline/testing/events'
import { createTestWorld, testRecordKey } from '@watchline/testing/harness'
import { createAuthService } from '../../../../services/auth/src/service.ts'
import { authConfig } from '../../../../services/auth/test/_config.ts'
import { createChatService } from '../../../../services/chat/src/service.ts'
import { createEngagementService } from '../../../../services/engagement/src/service.ts'
import { createNotificationService } from '../../../../services/notification/src/service.ts'
import { createPlaybackSessionService } from '../../../../services/playback-session/src/service.ts'
import { startYouTubeStandIn } from '../../../src/youtube/stand-in.ts'
import { type Column, columns } from './_table.ts'

export interface Member {
  id: string
  role: string
  email: string
  version: number
}

/** A manager, a supervisor of that manager, and a user of that supervisor. */
export interface Chain {
  manager: Member
  supervisor: Member
  user: Member
}

export const adminPassword = 'correct horse 9'

export type RightsWorld = Awaited<ReturnType<typeof startRightsWorld>>

/**
 * All services on one bus, with two chains of people who do not know each other. Everybody calls
 * with an own login session. Tests create objects through the services' HTTP operations.
 */
export async function startRightsWorld() {
  const world = await createTestWorld()
  const youtube = await startYouTubeStandIn()
  const { config, ports } = world
  const [playbackPort, engagementPort, chatPort] = await Promise.all([freePort(), freePort(), freePort()])
  const auth = createAuthService(
    authConfig(world, {
      playbackUrl: `http://127.0.0.1:${playbackPort}`,
      engagementUrl: `http://127.0.0.1:${engagementPort}`,
      chatUrl: `http://127.0.0.1:${chatPort}`,
    }),
    ports,
  )
  const { url: authUrl } = await auth.start()
  const playback = createPlaybackSessionService(
    {
      ...config,
      port: playbackPort,
      authUrl,
      timeZone: 'UTC',
      maxPlaybackRate: 1,
      youtubeApiKey: youtube.key,
      youtubeApiUrl: youtube.url,
      youtubeCoversUrl: 'http://127.0.0.1:9',
      monitoringNotice: 'off',
      reminderDaysBefore: [1],
      reminderDaysAfter: [],
      escalationDaysAfter: [],
      monitoringNoticeText: undefined,
      publicUrl: undefined,
      mediaRoot: undefined,
      mediaHosts: [],
      mediaSecrets: ['a secret for addresses of files in the tests'],
    },
    ports,
  )
  const { url: playbackUrl } = await playback.start()
  const engagement = createEngagementService(
    {
      ...{ ...config, port: engagementPort, authUrl, playbackUrl, maxPlaybackRate: 1, timeZone: 'UTC' },
      ...{ publicUrl: undefined, recordPrivateKey: testRecordKey() },
    },
    ports,
  )
  const { url: engagementUrl } = await engagement.start()
  const notification = createNotificationService(
    { ...config, authUrl, playbackUrl, engagementUrl, publicUrl: 'http://localhost', timeZone: 'UTC', mail: undefined },
    ports,
  )
  const { url: notificationUrl } = await notification.start()
  const chat = createChatService({ ...config, port: chatPort, authUrl }, ports)
  const { url: chatUrl } = await chat.start()
  const urls: Record<string, string> = {
    auth: authUrl,
    'playback-session': playbackUrl,
    engagement: engagementUrl,
    notification: notificationUrl,
    chat: chatUrl,
  }

  let batches = 0
  const storedPeople = world
    .database('auth')
    .collection<{ _id: string; role: string; email: string; version: number }>('people')
  async function member(id: string): Promise<Member> {
    const person = await storedPeople.findOne({ _id: id })
    return { id, role: person!.role, email: person!.email, version: person!.version }
  }

  /** Creates people. `supervisor` and `manager` are indexes in the same list. */
  async function people(
    profiles: { role: AssignableRole; supervisor?: number; manager?: number }[],
  ): Promise<[Member, ...Member[]]> {
    batches += 1
    const email = (index: number) => `person-${batches}-${index}@example.org`
    const ids = await auth.seed({
      people: profiles.map(({ role, supervisor, manager }, index) => ({
        name: `Person ${batches} ${index}`,
        email: email(index),
        role,
        ...(supervisor !== undefined && { supervisor: email(supervisor) }),
        ...(manager !== undefined && { manager: email(manager) }),
      })),
    })
    return Promise.all(profiles.map((_, index) => member(ids.get(email(index))!))) as Promise<[Member, ...Member[]]>
  }

  async function chain(): Promise<Chain> {
    const [manager, supervisor, user] = await people([
      { role: 'manager' },
      { role: 'supervisor', manager: 0 },
      { role: 'user', supervisor: 1 },
    ])
    return { manager, supervisor: supervisor!, user: user! }
  }

  const [director] = await people([{ role: 'director' }])
  const setup = await apiClient(authUrl).post('/admin/setup', {
    name: 'First Admin',
    email: 'admin@example.org',
    password: adminPassword,
  })
  const admin = await member(setup.json.admin.id)
  const own = await chain()
  const foreign = await chain()
  const members: Record<Exclude<Column, 'nobody'>, Member> = {
    user: own.user,
    supervisor: own.supervisor,
    manager: own.manager,
    director,
    admin,
  }

  /** Returns a function that calls any service as this person, or anonymously. */
  function callAs(person: Member | undefined, sid?: string) {
    return async (service: string, method: string, path: string, body?: unknown): Promise<ApiResponse> => {
      const token = person && world.token(await member(person.id), sid ?? `sid-${person.id}`)
      if (path === '/stream') return readHead(`${urls[service]}/api${path}`, token)
      return apiClient(urls[service]!, token).call(method, path, body)
    }
  }

  return {
    publish: createEventPublisher(ports.bus),
    own,
    foreign,
    director,
    admin,
    people,
    callAs,
    playlistUrl: youtube.playlistUrl,
    member: (column: Column): Member | undefined => (column === 'nobody' ? undefined : members[column]),
    columns,
    stop: async () => {
      for (const service of [chat, notification, engagement, playback, auth]) await service.stop()
      await youtube.stop()
      await world.close()
    },
  }
}

/** Reads status and headers of an answer that never ends. */
async function readHead(url: string, token: string | undefined): Promise<ApiResponse> {
  const { status, headers, body } = await fetch(url, { headers: token ? { authorization: `Bearer ${token}` } : {} })
  await body?.cancel()
  return { status, headers, json: undefined, text: '' }
}
