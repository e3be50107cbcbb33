import { afterEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { type LiveStore, LiveStoreUnavailable } from '../src/live/live-store.ts'
import { createMemoryLiveStore } from '../src/live/memory-live-store.ts'
import { createPresenceRecorder } from '../src/live/presence-recorder.ts'
import type { PresenceReport, PresenceWriter } from '../src/live/presence-writer.ts'
import { createLogger } from '../src/observability/log.ts'

const log = createLogger('test', 'silent')

function startRecorder() {
  const clock = createManualClock()
  const batches: PresenceReport[][] = []
  let unavailable = false
  const live = {
    presence: {
      report: async (reports: PresenceReport[]) => {
        if (unavailable) throw new LiveStoreUnavailable('away')
        batches.push([...reports])
      },
    },
  } as unknown as LiveStore
  const recorder = createPresenceRecorder({ live, clock, log })
  return { recorder, clock, batches, setUnavailable: (value: boolean) => (unavailable = value) }
}

describe('the presence recorder', () => {
  let running: ReturnType<typeof startRecorder> | undefined
  afterEach(() => running?.recorder.stop())

  test('writes many reports in one batch, with one report for each session', async () => {
    running = startRecorder()
    const { recorder, clock, batches } = running
    for (let at = 0; at < 50; at += 1) recorder.report(`person-${at % 5}`, 'sid', 1)
    recorder.report('person-0', 'another sid', 2)
    recorder.start()
    await eventually(() => expect(batches).toHaveLength(1))
    expect(batches[0]).toHaveLength(6)
    expect(batches[0]![0]).toEqual({ personId: 'person-0', sid: 'sid', loginTime: 1, at: clock.now() })
  })

  test('reports a session again only after limits.presenceReportMs', async () => {
    running = startRecorder()
    const { recorder, clock, batches } = running
    recorder.report('person', 'sid', 1)
    await recorder.stop()
    clock.advance(limits.presenceReportMs - 1)
    recorder.report('person', 'sid', 1)
    await recorder.stop()
    expect(batches).toHaveLength(1)
    clock.advance(1)
    recorder.report('person', 'sid', 1)
    await recorder.stop()
    expect(batches.map(batch => batch.length)).toEqual([1, 1])
  })

  test('drops a batch that the live store rejected, and reports the next activity at once', async () => {
    running = startRecorder()
    const { recorder, batches, setUnavailable } = running
    setUnavailable(true)
    recorder.report('person', 'sid', 1)
    await recorder.stop()
    setUnavailable(false)
    recorder.report('person', 'sid', 1)
    await recorder.stop()
    expect(batches).toHaveLength(1)
  })

  test('does not write for a removed session', async () => {
    running = startRecorder()
    const { recorder, batches } = running
    recorder.report('person', 'gone', 1)
    recorder.report('person', 'stays', 1)
    recorder.removeSession('person', 'gone')
    await recorder.stop()
    expect(batches.flat().map(report => report.sid)).toEqual(['stays'])
  })

  test('a session that ends while its report is being written is not left online', async () => {
    const clock = createManualClock()
    const live = createMemoryLiveStore()
    let release = () => {}
    const blocked = new Promise<void>(resolve => {
      release = resolve
    })
    let isWriting = false
    const report: PresenceWriter['report'] = async reports => {
      isWriting = true
      await blocked
      await live.presence.report(reports)
    }
    const slow = { ...live, presence: { ...live.presence, report } }
    const recorder = createPresenceRecorder({ live: slow, clock, log })
    recorder.report('person', 'ended', 1)
    recorder.report('person', 'other', 1)
    recorder.start()
    await eventually(() => isWriting)
    recorder.removeSession('person', 'ended')
    release()
    await recorder.stop()
    const online = async () => (await live.presence.of(['person'], clock.now())).get('person')?.sid
    await eventually(async () => expect(await online()).toBe('other'))
  })
})
