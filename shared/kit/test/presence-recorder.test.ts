import { afterEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { type LiveStore, LiveStoreUnavailable, type PresenceReport } from '../src/live/live-store.ts'
import { createMemoryLiveStore } from '../src/live/memory-live-store.ts'
import { createPresenceRecorder } from '../src/live/presence-recorder.ts'
import { createLogger } from '../src/observability/log.ts'

const log = createLogger('test', 'silent')

function aNoter() {
  const clock = createManualClock()
  const batches: PresenceReport[][] = []
  let away = false
  const live = {
    presence: {
      note: async (sightings: PresenceReport[]) => {
        if (away) throw new LiveStoreUnavailable('away')
        batches.push([...sightings])
      },
    },
  } as unknown as LiveStore
  const noter = createPresenceRecorder({ live, clock, log })
  return { noter, clock, batches, goAway: (is: boolean) => (away = is) }
}

describe('the presence noter', () => {
  let running: ReturnType<typeof aNoter> | undefined
  afterEach(() => running?.noter.stop())

  test('writes many sightings as one, one a session', async () => {
    running = aNoter()
    const { noter, clock, batches } = running
    for (let at = 0; at < 50; at += 1) noter.note(`person-${at % 5}`, 'sid', 1)
    noter.note('person-0', 'another sid', 2)
    noter.start()
    await eventually(() => expect(batches).toHaveLength(1))
    expect(batches[0]).toHaveLength(6)
    expect(batches[0]![0]).toEqual({ personId: 'person-0', sid: 'sid', loginTime: 1, at: clock.now() })
  })

  test('notes a session again only after the time between notes', async () => {
    running = aNoter()
    const { noter, clock, batches } = running
    noter.note('person', 'sid', 1)
    await noter.stop()
    clock.advance(limits.presenceNoteMs - 1)
    noter.note('person', 'sid', 1)
    await noter.stop()
    expect(batches).toHaveLength(1)
    clock.advance(1)
    noter.note('person', 'sid', 1)
    await noter.stop()
    expect(batches.map(batch => batch.length)).toEqual([1, 1])
  })

  test('drops what the live store did not take, and notes the next activity at once', async () => {
    running = aNoter()
    const { noter, batches, goAway } = running
    goAway(true)
    noter.note('person', 'sid', 1)
    await noter.stop()
    goAway(false)
    noter.note('person', 'sid', 1)
    await noter.stop()
    expect(batches).toHaveLength(1)
  })

  test('does not write for a session that was forgotten', async () => {
    running = aNoter()
    const { noter, batches } = running
    noter.note('person', 'gone', 1)
    noter.note('person', 'stays', 1)
    noter.forget('person', 'gone')
    await noter.stop()
    expect(batches.flat().map(sighting => sighting.sid)).toEqual(['stays'])
  })

  test('a session that ends while it is being written leaves no ghost', async () => {
    const clock = createManualClock()
    const live = createMemoryLiveStore()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let asked = false
    const note: LiveStore['presence']['note'] = async sightings => {
      asked = true
      await held
      await live.presence.note(sightings)
    }
    const noter = createPresenceRecorder({ live: { ...live, presence: { ...live.presence, note } }, clock, log })
    noter.note('person', 'ended', 1)
    noter.note('person', 'other', 1)
    noter.start()
    await eventually(() => asked)
    noter.forget('person', 'ended')
    release()
    await noter.stop()
    const online = async () => (await live.presence.of(['person'], clock.now())).get('person')?.sid
    await eventually(async () => expect(await online()).toBe('other'))
  })
})
