import type { AssignableRole } from '@watchline/contracts/people'
import { createEventPublisher } from '@watchline/testing/events'
import { type ApiResponse, apiClient, createTestWorld } from '@watchline/testing/harness'
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
  version: number
}

/** One line of the organisation: a manager, their supervisor, the supervisor's user. */
export interface Chain {
  manager: Member
  supervisor: Member
  user: Member
}

export const adminPassword = 'correct horse 9'

export type RightsWorld = Awaited<ReturnType<typeof startRightsWorld>>

/**
 * The services whose rights are tried, on one bus, with two chains of people who are strangers to each other. Everybody calls with
 * a session of their own; everything is made through the doors.
 */
export async function startRightsWorld() {
  const world = await createTestWorld()
  const youtube = await startYouTubeStandIn()
  const { config, ports } = world
  const auth = createAuthService(authConfig(world), ports)
  const { url: authUrl } = await auth.start()
  const playback = createPlaybackSessionService(
    { ...config, authUrl, timeZone: 'UTC', youtubeApiKey: youtube.key, youtubeApiUrl: youtube.url },
    ports,
  )
  const { url: playbackUrl } = await playback.start()
  const engagement = createEngagementService(
    { ...config, authUrl, playbackUrl, maxPlaybackRate: 1, timeZone: 'UTC' },
    ports,
  )
  const { url: engagementUrl } = await engagement.start()
  const notification = createNotificationService({ ...config, authUrl }, ports)
  const { url: notificationUrl } = await notification.start()
  const chat = createChatService({ ...config, authUrl }, ports)
  const { url: chatUrl } = await chat.start()
  const urls: Record<string, string> = {
    auth: authUrl,
    'playback-session': playbackUrl,
    engagement: engagementUrl,
    notification: notificationUrl,
    chat: chatUrl,
  }

  let made = 0
  const rows = world.database('auth').collection<{ _id: string; role: string; version: number }>('people')
  async function member(id: string): Promise<Member> {
    const row = await rows.findOne({ _id: id })
    return { id, role: row!.role, version: row!.version }
  }

  /** New people, in their places. */
  async function people(
    wanted: { role: AssignableRole; supervisor?: number; manager?: number }[],
  ): Promise<[Member, ...Member[]]> {
    made += 1
    const email = (index: number) => `person-${made}-${index}@example.org`
    const ids = await auth.seed({
      people: wanted.map(({ role, supervisor, manager }, index) => ({
        name: `Person ${made} ${index}`,
        email: email(index),
        role,
        ...(supervisor !== undefined && { supervisor: email(supervisor) }),
        ...(manager !== undefined && { manager: email(manager) }),
      })),
    })
    return Promise.all(wanted.map((_, index) => member(ids.get(email(index))!))) as Promise<[Member, ...Member[]]>
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

  /** Somebody at the doors of all services, or nobody. */
  function as(who: Member | undefined, sid?: string) {
    return async (service: string, method: string, path: string, body?: unknown): Promise<ApiResponse> => {
      const token = who && world.token(await member(who.id), sid ?? `sid-${who.id}`)
      if (path === '/stream') return beginningOf(`${urls[service]}/api${path}`, token)
      return apiClient(urls[service]!, token).call(method, path, body)
    }
  }

  return {
    tell: createEventPublisher(ports.bus),
    own,
    foreign,
    director,
    admin,
    people,
    as,
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

/** An answer that goes on for ever, as far as its head. */
async function beginningOf(url: string, token: string | undefined): Promise<ApiResponse> {
  const { status, headers, body } = await fetch(url, { headers: token ? { authorization: `Bearer ${token}` } : {} })
  await body?.cancel()
  return { status, headers, json: undefined, text: '' }
}
