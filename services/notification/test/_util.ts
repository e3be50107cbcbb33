import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import type { Notification } from '@watchline/contracts/notification'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import { createManualClock } from '@watchline/kit/clock'
import { newId } from '@watchline/kit/mongo'
import type { Service } from '@watchline/kit/service'
import {
  type Answer,
  aPerson,
  caller,
  createTestWorld,
  eventually,
  type TestWorldOptions,
} from '@watchline/kit/test-harness'
import { createNotificationService, type NotificationOptions } from '../src/service.ts'
import { type Browser, listen } from './streams/_browser.ts'

export type NotificationWorld = Awaited<ReturnType<typeof startNotifications>>

export interface Listed {
  notifications: Notification[]
  unread_count: number
  pending_approvals: number
}

/** The notification service in as many replicas as asked for, and the people auth would tell of. */
export async function startNotifications({
  replicas = 1,
  bounds,
  ...options
}: TestWorldOptions & NotificationOptions & { replicas?: number } = {}) {
  const clock = createManualClock(Date.now())
  const world = await createTestWorld({ clock, ...options })
  const people = new Map<string, PersonSnapshot>()
  const auth = createServer((req, res) => {
    const url = new URL(req.url!, 'http://auth')
    const id = /^\/internal\/people\/(.+)$/.exec(url.pathname)?.[1]
    const after = url.searchParams.get('after') ?? ''
    const page = [...people.values()].filter(each => each.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
    const answer = id ? people.get(decodeURIComponent(id)) : page.slice(0, Number(url.searchParams.get('limit')))
    res.statusCode = answer ? 200 : 404
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>(resolve => auth.listen(0, '127.0.0.1', resolve))
  const config = { ...world.config, authUrl: `http://127.0.0.1:${(auth.address() as AddressInfo).port}` }

  const running: Service[] = []
  const urls: string[] = []
  for (let index = 0; index < replicas; index += 1) {
    const ports = index === 0 ? world.ports : await world.otherPorts()
    const service = createNotificationService(config, ports, { ...(bounds && { bounds }) })
    running.push(service)
    urls.push((await service.start()).url)
  }
  const database = world.database('notification')

  const as = (person: PersonSnapshot, replica = 0, sid?: string) =>
    caller(urls[replica]!, world.token(people.get(person.id) ?? person, sid))

  async function list(person: PersonSnapshot, path = '/notifications', replica = 0): Promise<Listed> {
    const answer: Answer = await as(person, replica).get(path)
    if (answer.status !== 200) throw new Error(`no notifications: ${answer.status} ${answer.text}`)
    return answer.json
  }

  /** Publishes as another service would. */
  function tell<T extends EventType>(type: T, data: EventData<T>, id = newId()): Promise<void> {
    return world.ports.bus.publish({
      specversion: '1.0',
      id,
      source: 'test',
      type,
      subject: id,
      time: new Date(clock.now()).toISOString(),
      data,
    } as DomainEvent)
  }

  const browsers: Browser[] = []

  /** A stream of theirs, as the gateway would open it. */
  async function stream(
    person: PersonSnapshot,
    { replica = 0, sid, headers = {} }: { replica?: number; sid?: string; headers?: Record<string, string> } = {},
  ): Promise<Browser> {
    const authorization = `Bearer ${world.token(people.get(person.id) ?? person, sid)}`
    const browser = await listen(urls[replica]!, { authorization, ...headers })
    browsers.push(browser)
    return browser
  }

  return {
    ...world,
    config,
    clock,
    urls,
    running,
    stream,
    as,
    list,
    tell,
    person: (role: Role = 'user', fields: Partial<PersonSnapshot> = {}) => {
      const person = aPerson({ role, ...fields })
      people.set(person.id, person)
      return person
    },
    /** A change of a person, with the event that auth would publish of it. */
    move: async (person: PersonSnapshot, supervisorId: string | null) => {
      const before = people.get(person.id)!
      const changed = { ...before, supervisor_id: supervisorId, version: before.version + 1 }
      people.set(person.id, changed)
      await tell('user.supervisor_changed', {
        person: changed,
        by: null,
        previous_supervisor_id: before.supervisor_id,
      })
      return changed
    },
    /** When all that happened has become notifications. */
    settled: () => eventually(async () => (await database.collection('happenings').countDocuments()) === 0),
    rows: (collection: string) => database.collection(collection),
    events: async () =>
      (
        await database
          .collection('outbox')
          .find({ event: { $exists: true } })
          .sort({ seq: 1 })
          .toArray()
      ).map(row => row.event as { type: string; data: Record<string, unknown> }),
    stop: async () => {
      for (const browser of browsers) browser.cut()
      for (const service of running.reverse()) await service.stop()
      await new Promise(resolve => auth.close(resolve))
      await world.close()
    },
  }
}

const titles = { playlist_title: 'Safety first', video_title: 'Fire exits' }

export function aComment(author: { id: string }, fields: Partial<EventData<'comment.added'>> = {}) {
  return {
    comment_id: newId(),
    person_id: author.id,
    playlist_id: 'list-1',
    video_id: 'film-1',
    timestamp: 75.4,
    text: 'What about the lift?',
    ...titles,
    ...fields,
  }
}

export function aCompletion(person: { id: string }, fields: Partial<EventData<'video.completed'>> = {}) {
  return {
    person_id: person.id,
    playlist_id: 'list-1',
    video_id: 'film-1',
    completed_at: new Date().toISOString(),
    ...titles,
    ...fields,
  }
}
