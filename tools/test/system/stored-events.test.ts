import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { consumersOf, type DomainEvent } from '@watchline/contracts/events'
import { newId } from '@watchline/kit/mongo/database'
import type { Service } from '@watchline/kit/process/service-host'
import { createTestWorld, makePersonSnapshot, type TestWorld, testRecordKey } from '@watchline/testing/harness'
import { createAuthService } from '../../../services/auth/src/service.ts'
import { authConfig } from '../../../services/auth/test/_config.ts'
import { createChatService } from '../../../services/chat/src/service.ts'
import { createEngagementService } from '../../../services/engagement/src/service.ts'
import { createNotificationService } from '../../../services/notification/src/service.ts'
import { createPlaybackSessionService } from '../../../services/playback-session/src/service.ts'
import { storedEvents, withUnknownFields } from '../../../shared/contracts/test/_stored-events.ts'

let world: TestWorld
const startedServices: Service[] = []
const owners = createServer((req, res) => {
  const [kind, id] = req.url!.split('?')[0]!.split('/').slice(2)
  const found = kind === 'people' && id ? makePersonSnapshot({ id }) : id && kind !== 'holds' ? undefined : []
  res.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? {}))
})

beforeAll(async () => {
  await new Promise<void>(resolve => owners.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(owners.address() as AddressInfo).port}`
  world = await createTestWorld()
  const config = { ...world.config, authUrl: url, timeZone: 'UTC' }
  startedServices.push(
    createAuthService(authConfig(world), world.ports),
    createChatService(config, world.ports),
    createNotificationService(
      { ...config, publicUrl: url, playbackUrl: url, engagementUrl: url, mail: undefined },
      world.ports,
    ),
    createEngagementService(
      { ...config, playbackUrl: url, maxPlaybackRate: 1, publicUrl: undefined, recordPrivateKey: testRecordKey() },
      world.ports,
    ),
    createPlaybackSessionService(
      {
        ...config,
        maxPlaybackRate: 1,
        youtubeApiUrl: url,
        youtubeCoversUrl: url,
        youtubeApiKey: undefined,
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
      world.ports,
    ),
  )
  await Promise.all(startedServices.map(service => service.start()))
})
afterAll(async () => {
  for (const service of startedServices) await service.stop()
  await world.close()
  owners.close()
})

/** Publishes an event and returns the outcome in each service that consumes its type. */
async function outcomes(event: DomainEvent) {
  await world.ports.bus.publish(event)
  return Promise.all(
    consumersOf(event.type).map(async group => ({
      group,
      consumed: await world
        .database(group)
        .collection<{ _id: string }>('consumed_events')
        .countDocuments({ _id: event.id }),
      dead: await world.ports.bus.deadLetters(group),
    })),
  )
}

const consumed = (event: DomainEvent) => consumersOf(event.type).map(group => ({ group, consumed: 1, dead: [] }))

describe('events of earlier and of later versions, in every service that consumes them', () => {
  test('there are stored events to test', () => {
    expect(storedEvents.filter(({ type }) => consumersOf(type).length > 0).length).toBeGreaterThan(20)
  })

  test.each(storedEvents)('$file', async ({ event }) => {
    expect(await outcomes(event)).toEqual(consumed(event))
  })

  test.each(storedEvents)('$file with unknown fields', async ({ event }) => {
    const later = { ...withUnknownFields(event), id: newId() }
    expect(await outcomes(later)).toEqual(consumed(later))
  })
})
