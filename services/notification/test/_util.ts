import type { EventData } from '@watchline/contracts/events'
import type { Notification } from '@watchline/contracts/notification'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import type { Service } from '@watchline/kit/process/service-host'
import { type ApiResponse, apiClient } from '@watchline/testing/api-client'
import { createEventPublisher } from '@watchline/testing/events'
import { createTestWorld, eventually, type TestWorldOptions } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { startOwnerServices } from '@watchline/testing/owners'
import type { MailConfig } from '../src/config.ts'
import { createNotificationService, type NotificationOptions } from '../src/service.ts'
import { openTestBrowser, type TestBrowser } from './live-stream/_browser.ts'

export type NotificationWorld = Awaited<ReturnType<typeof startNotifications>>

export interface NotificationList {
  notifications: Notification[]
  unread_count: number
  pending_approvals: number
}

/** Starts replicas of the notification service, with a stand-in for auth that knows the people. */
export async function startNotifications({
  replicas = 1,
  bounds,
  mail,
  timeZone = 'UTC',
  ...options
}: TestWorldOptions & NotificationOptions & { replicas?: number; mail?: MailConfig; timeZone?: string } = {}) {
  const clock = createManualClock(Date.now())
  const world = await createTestWorld({ clock, ...options })
  const auth = await startOwnerServices()
  const { people } = auth
  const config = {
    ...world.config,
    authUrl: auth.url,
    playbackUrl: auth.url,
    engagementUrl: auth.url,
    publicUrl: 'http://watchline.example',
    mail,
    timeZone,
  }

  const running: Service[] = []
  const urls: string[] = []
  for (let index = 0; index < replicas; index += 1) {
    const ports = index === 0 ? world.ports : await world.otherPorts()
    const service = createNotificationService(config, ports, { ...(bounds && { bounds }) })
    running.push(service)
    urls.push((await service.start()).url)
  }
  const database = world.database('notification')

  const callAs = (person: PersonSnapshot, replica = 0, sid?: string) =>
    apiClient(urls[replica]!, world.token(people.get(person.id) ?? person, sid))

  async function list(person: PersonSnapshot, path = '/notifications', replica = 0): Promise<NotificationList> {
    const response: ApiResponse = await callAs(person, replica).get(path)
    if (response.status !== 200) throw new Error(`no notifications: ${response.status} ${response.text}`)
    return response.json
  }

  const publish = createEventPublisher(world.ports.bus, clock)
  const browsers: TestBrowser[] = []

  /** Opens a stream of a person, as the gateway does. */
  async function openStream(
    person: PersonSnapshot,
    { replica = 0, sid, headers = {} }: { replica?: number; sid?: string; headers?: Record<string, string> } = {},
  ): Promise<TestBrowser> {
    const authorization = `Bearer ${world.token(people.get(person.id) ?? person, sid)}`
    const browser = await openTestBrowser(urls[replica]!, { authorization, ...headers })
    browsers.push(browser)
    return browser
  }

  return {
    ...world,
    config,
    clock,
    urls,
    running,
    openStream,
    callAs,
    list,
    publish,
    owners: auth,
    addPerson: auth.addPerson,
    /** Changes a person's supervisor in auth and publishes auth's event. */
    changeSupervisor: async (person: PersonSnapshot, supervisorId: string | null) => {
      const previous_supervisor_id = people.get(person.id)!.supervisor_id
      const changed = auth.changePerson(person, { supervisor_id: supervisorId })
      await publish('user.supervisor_changed', { person: changed, by: null, previous_supervisor_id })
      return changed
    },
    /** Waits until every stored activity is in a notification. */
    untilGrouped: () => eventually(async () => (await database.collection('happenings').countDocuments()) === 0),
    /** Waits until the relay has published every event and bumped its versions. */
    untilRelayed: () =>
      eventually(async () => (await database.collection('outbox').countDocuments({ pending: true })) === 0),
    collection: (name: string) => database.collection(name),
    publishedEvents: async () =>
      (
        await database
          .collection('outbox')
          .find({ event: { $exists: true } })
          .sort({ seq: 1 })
          .toArray()
      ).map(row => row.event as { type: string; data: Record<string, unknown> }),
    stop: async () => {
      for (const browser of browsers) browser.disconnect()
      for (const service of running.reverse()) await service.stop()
      await auth.close()
      await world.close()
    },
  }
}

const titles = { playlist_title: 'Safety first', video_title: 'Fire exits' }

export function makeComment(author: { id: string }, fields: Partial<EventData<'comment.added'>> = {}) {
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

export function makeCompletion(person: { id: string }, fields: Partial<EventData<'video.completed'>> = {}) {
  return {
    person_id: person.id,
    playlist_id: 'list-1',
    video_id: 'film-1',
    completed_at: new Date().toISOString(),
    ...titles,
    ...fields,
  }
}
