import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'
import { type DomainEvent, type EventData, peoplePerImportEvent } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Clock } from '@watchline/kit/core/clock'
import { newId } from '@watchline/kit/mongo/database'
import type { Ports, Service } from '@watchline/kit/process/service-host'
import { createEventPublisher } from '@watchline/testing/events'
import { type ApiResponse, apiClient, createTestWorld, type TestWorldOptions } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { startOwnerServices } from '@watchline/testing/owners'
import type { SendingLimits } from '../src/actions/send-messages.ts'
import type { ChatConfig } from '../src/config.ts'
import { roomIdOf } from '../src/rules/rooms.ts'
import { createChatService } from '../src/service.ts'

export type ChatWorld = Awaited<ReturnType<typeof startChat>>

interface StartOptions {
  config?: Partial<ChatConfig>
  ports?: Partial<Ports>
  sending?: SendingLimits
}

interface WorldOptions extends TestWorldOptions {
  replicas?: number
  /** Nobody sends too much. */
  unbounded?: boolean
}

/** The chat service in as many replicas as asked for, and the people auth would tell of. */
export async function startChat({ replicas = 1, unbounded = false, ...options }: WorldOptions = {}) {
  const clock: Clock & { advance(ms: number): void } = createManualClock(Date.now())
  const world = await createTestWorld({ clock, ...options })
  const auth = await startOwnerServices()
  const { people, person } = auth

  const running: Service[] = []
  const urls: string[] = []
  const told: EventData<'chat.changed'>['changes'] = []
  async function start({ config, ports, sending }: StartOptions = {}) {
    const own = running.length === 0 ? world.ports : await world.otherPorts()
    const live = unbounded ? { ...own.live, counters: { ...own.live.counters, hit: firstHit } } : own.live
    const service = createChatService(
      { ...world.config, authUrl: auth.url, ...config },
      { ...own, live, ...ports },
      sending,
    )
    running.push(service)
    const { url } = await service.start()
    urls.push(url)
    return { service, url }
  }
  await world.ports.bus.subscribeLive({ types: ['chat.changed'] }, event => {
    told.push(...(event as DomainEvent<'chat.changed'>).data.changes)
  })
  for (let index = 0; index < replicas; index += 1) await start()
  const database = world.database('chat')

  const as = (person: PersonSnapshot, replica: number | string = 0) =>
    apiClient(typeof replica === 'string' ? replica : urls[replica]!, world.token(people.get(person.id) ?? person))

  async function ok<T>(answer: Promise<ApiResponse>): Promise<T> {
    const { status, json, text } = await answer
    if (status !== 200) throw new Error(`${status} ${text}`)
    return json
  }

  const tell = createEventPublisher(world.ports.bus, clock)

  return {
    ...world,
    clock,
    authUrl: auth.url,
    urls,
    told,
    person,
    as,
    start,
    tell,
    /** The service has heard of them, before anybody asks. */
    introduce: async (...newcomers: PersonSnapshot[]) => {
      for (let at = 0; at < newcomers.length; at += peoplePerImportEvent)
        await tell('users.imported', {
          import_id: newId(),
          by: null,
          people: newcomers.slice(at, at + peoplePerImportEvent),
        })
    },
    /** A person as auth has them from now on; no event tells of it. */
    change: auth.change,
    /** The same, and the event that tells of it was heard. */
    move: async (who: PersonSnapshot, supervisorId: string | null) => {
      const previous_supervisor_id = people.get(who.id)!.supervisor_id
      const moved = auth.change(who, { supervisor_id: supervisorId })
      await tell('user.supervisor_changed', { person: moved, by: null, previous_supervisor_id })
      return moved
    },
    authIsAway: (away: boolean) => {
      auth.unavailable = away
    },
    /** Nobody waits for messages that come in another test. */
    calm: (who: PersonSnapshot) => world.ports.live.counters.clear(`chat-messages:${who.id}`),
    /** A trainee and their supervisor. */
    pair: () => {
      const supervisor = person('supervisor')
      const trainee = person('user', { supervisor_id: supervisor.id })
      return { supervisor, trainee, roomId: roomIdOf(supervisor.id, trainee.id) }
    },
    send: (
      from: PersonSnapshot,
      to: PersonSnapshot,
      message: string,
      { type = 'user_supervisor', clientId, replica = 0 }: { type?: string; clientId?: string; replica?: number } = {},
    ) =>
      as(from, replica).post('/chat/send', {
        recipient_id: to.id,
        message,
        chat_type: type,
        ...(clientId !== undefined && { client_id: clientId }),
      }),
    rooms: (who: PersonSnapshot, query = '', replica = 0) =>
      ok<ChatRoom[]>(as(who, replica).get(`/chat/rooms${query}`)),
    messages: (who: PersonSnapshot, roomId: string, query = '', replica = 0) =>
      ok<ChatMessage[]>(as(who, replica).get(`/chat/messages/${roomId}${query}`)),
    unread: async (who: PersonSnapshot, replica = 0) =>
      (await ok<{ unread_count: number }>(as(who, replica).get('/chat/unread-count'))).unread_count,
    read: (who: PersonSnapshot, roomId: string, upTo?: number, replica = 0) =>
      as(who, replica).post(`/chat/mark-read?room_id=${roomId}${upTo === undefined ? '' : `&up_to=${upTo}`}`),
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into documents of every shape
    rows: (collection: string) => database.collection<{ _id: string; [field: string]: any }>(collection),
    stop: async () => {
      for (const service of running.reverse()) await service.stop().catch(() => {})
      await auth.close()
      await world.close()
    },
  }
}

const firstHit = async () => ({ count: 1, resetsAt: Date.now() })

/** What somebody wrote, in the order of the room. */
export const textsOf = (messages: readonly ChatMessage[]) => messages.map(each => each.message)

/** All messages of a room, oldest first, page by page from the newest. */
export async function allMessages(world: ChatWorld, who: PersonSnapshot, roomId: string, limit = 50, replica = 0) {
  const all: ChatMessage[] = []
  let cursor: string | undefined
  do {
    const query = `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
    const answer = await world.as(who, replica).get(`/chat/messages/${roomId}${query}`)
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    all.unshift(...answer.json)
    cursor = answer.headers.get('x-next-cursor') ?? undefined
  } while (cursor)
  return all
}
