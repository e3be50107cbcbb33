import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'
import { type DomainEvent, type EventData, peoplePerImportEvent } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Clock } from '@watchline/kit/core/clock'
import { newId } from '@watchline/kit/mongo/database'
import type { Ports, Service } from '@watchline/kit/process/service-host'
import { type ApiResponse, apiClient } from '@watchline/testing/api-client'
import { createEventPublisher } from '@watchline/testing/events'
import { createTestWorld, eventually, type TestWorldOptions } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { startOwnerServices } from '@watchline/testing/owners'
import type { SendingLimits } from '../src/actions/send-messages.ts'
import type { ChatConfig } from '../src/config.ts'
import { roomIdOf } from '../src/rules/room.ts'
import { createChatService } from '../src/service.ts'

export type ChatWorld = Awaited<ReturnType<typeof startChat>>

interface StartOptions {
  config?: Partial<ChatConfig>
  ports?: Partial<Ports>
  sending?: SendingLimits
}

interface WorldOptions extends TestWorldOptions {
  replicas?: number
  /** Switches the message rate limit off. */
  noRateLimit?: boolean
}

/** Starts replicas of the chat service, with a stand-in for auth that knows the people. */
export async function startChat({ replicas = 1, noRateLimit = false, ...options }: WorldOptions = {}) {
  const clock: Clock & { advance(ms: number): void } = createManualClock(Date.now())
  const world = await createTestWorld({ clock, ...options })
  const auth = await startOwnerServices()
  const { people, addPerson } = auth

  const running: Service[] = []
  const urls: string[] = []
  const hints: EventData<'chat.changed'>['changes'] = []
  async function start({ config, ports, sending }: StartOptions = {}) {
    const own = running.length === 0 ? world.ports : await world.otherPorts()
    const live = noRateLimit ? { ...own.live, counters: { ...own.live.counters, countHit: firstHit } } : own.live
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
    hints.push(...(event as DomainEvent<'chat.changed'>).data.changes)
  })
  for (let index = 0; index < replicas; index += 1) await start()
  const database = world.database('chat')

  const callAs = (person: PersonSnapshot, replica: number | string = 0) =>
    apiClient(typeof replica === 'string' ? replica : urls[replica]!, world.token(people.get(person.id) ?? person))

  async function expectOk<T>(response: Promise<ApiResponse>): Promise<T> {
    const { status, json, text } = await response
    if (status !== 200) throw new Error(`${status} ${text}`)
    return json
  }

  const publish = createEventPublisher(world.ports.bus, clock)

  return {
    ...world,
    clock,
    authUrl: auth.url,
    urls,
    hints,
    addPerson,
    callAs,
    start,
    publish,
    /** Publishes the people to the service, so that it needs no request to auth. */
    publishPeople: async (...newcomers: PersonSnapshot[]) => {
      for (let index = 0; index < newcomers.length; index += peoplePerImportEvent)
        await publish('users.imported', {
          import_id: newId(),
          by: null,
          people: newcomers.slice(index, index + peoplePerImportEvent),
        })
    },
    /** Changes a person in auth without an event. */
    changePerson: auth.changePerson,
    /** Changes a person's supervisor in auth and publishes auth's event. */
    changeSupervisor: async (person: PersonSnapshot, supervisorId: string | null) => {
      const previous_supervisor_id = people.get(person.id)!.supervisor_id
      const changed = auth.changePerson(person, { supervisor_id: supervisorId })
      await publish('user.supervisor_changed', { person: changed, by: null, previous_supervisor_id })
      return changed
    },
    setAuthUnavailable: (unavailable: boolean) => {
      auth.unavailable = unavailable
    },
    /** Resets a person's message rate limit. */
    resetRateLimit: (person: PersonSnapshot) => world.ports.live.counters.clear(`chat-messages:${person.id}`),
    /** Creates a trainee and their supervisor. */
    createPair: () => {
      const supervisor = addPerson('supervisor')
      const trainee = addPerson('user', { supervisor_id: supervisor.id })
      return { supervisor, trainee, roomId: roomIdOf(supervisor.id, trainee.id) }
    },
    send: (
      from: PersonSnapshot,
      to: PersonSnapshot,
      message: string,
      { type = 'user_supervisor', clientId, replica = 0 }: { type?: string; clientId?: string; replica?: number } = {},
    ) =>
      callAs(from, replica).post('/chat/send', {
        recipient_id: to.id,
        message,
        chat_type: type,
        ...(clientId !== undefined && { client_id: clientId }),
      }),
    listRooms: (person: PersonSnapshot, query = '', replica = 0) =>
      expectOk<ChatRoom[]>(callAs(person, replica).get(`/chat/rooms${query}`)),
    listMessages: (person: PersonSnapshot, roomId: string, query = '', replica = 0) =>
      expectOk<ChatMessage[]>(callAs(person, replica).get(`/chat/messages/${roomId}${query}`)),
    countUnread: async (person: PersonSnapshot, replica = 0) =>
      (await expectOk<{ unread_count: number }>(callAs(person, replica).get('/chat/unread-count'))).unread_count,
    markRead: (person: PersonSnapshot, roomId: string, upTo?: number, replica = 0) =>
      callAs(person, replica).post(`/chat/mark-read?room_id=${roomId}${upTo === undefined ? '' : `&up_to=${upTo}`}`),
    /** Waits until the relays have published every event and bumped its versions. */
    untilRelayed: () =>
      eventually(async () => (await database.collection('outbox').countDocuments({ pending: true })) === 0),
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into documents of every shape
    collection: (name: string) => database.collection<{ _id: string; [field: string]: any }>(name),
    stop: async () => {
      for (const service of running.reverse()) await service.stop().catch(() => {})
      await auth.close()
      await world.close()
    },
  }
}

const firstHit = async () => ({ count: 1, resetsAt: Date.now() })

export const textsOf = (messages: readonly ChatMessage[]) => messages.map(({ message }) => message)

/** All messages of a room, oldest first. Reads the pages from the newest to the oldest. */
export async function readAllMessages(
  world: ChatWorld,
  person: PersonSnapshot,
  roomId: string,
  limit = 50,
  replica = 0,
) {
  const messages: ChatMessage[] = []
  let cursor: string | undefined
  do {
    const query = `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
    const response = await world.callAs(person, replica).get(`/chat/messages/${roomId}${query}`)
    if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
    messages.unshift(...response.json)
    cursor = response.headers.get('x-next-cursor') ?? undefined
  } while (cursor)
  return messages
}
