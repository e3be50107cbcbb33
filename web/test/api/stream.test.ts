import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { readConnection, setConnection } from '../../src/api/connection.ts'
import { onSessionEnded } from '../../src/api/send.ts'
import { type ChangeHint, openStream, type Stream, type StreamOptions } from '../../src/api/stream.ts'
import { createTimers, settleAll } from '../player/_answers.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { FakeStream } from '../support/fake-stream.ts'
import { makeUser } from '../support/people.ts'

const api = createFakeApi()
let hints: ChangeHint[]
let timers: ReturnType<typeof createTimers>
let stream: Stream

beforeEach(() => {
  FakeStream.created.length = 0
  hints = []
  timers = createTimers()
})
afterEach(() => {
  stream.close()
  setConnection('live')
})

function connectStream(options: Partial<StreamOptions> = {}) {
  stream = openStream({
    onHint: hint => hints.push(hint),
    connect: url => new FakeStream(url),
    isSignedIn: async () => true,
    schedule: timers.schedule,
    now: timers.now,
    random: () => 0.5,
    ...options,
  })
  return FakeStream.last
}

describe('the live stream', () => {
  test('delivers the server’s hints, except unknown ones', () => {
    const source = connectStream().accept()
    expect(source.url).toBe('http://localhost/api/stream')
    source.sendHint({ type: 'hello', missed: false })
    source.sendHint({ type: 'presence' })
    source.sendHint({ type: 'of tomorrow' })
    source.sendRaw('not even JSON')
    expect(hints).toEqual([{ type: 'hello', missed: false }, { type: 'presence' }])
  })

  test('reconnects on its own timer after an interruption, and reports that hints may be missed', async () => {
    const firstSource = connectStream().accept()
    firstSource.sendHint({ type: 'hello', missed: false })
    await timers.pass(limits.streamHeartbeatMs)
    firstSource.fail()
    expect(firstSource.closed).toBe(true)
    expect(timers.waits()).toEqual([1.5 * limits.streamRetryMs])
    await timers.pass(1.5 * limits.streamRetryMs)
    expect(FakeStream.created).toHaveLength(2)
    FakeStream.last.accept().sendHint({ type: 'hello', missed: false })
    FakeStream.last.sendHint({ type: 'hello', missed: false })
    expect(hints.slice(1)).toEqual([
      { type: 'hello', missed: true },
      { type: 'hello', missed: false },
    ])
  })

  test.each([0, 1])(
    'is opened again after failures with growing, bounded waits (random value %d)',
    async randomValue => {
      connectStream({ random: () => randomValue })
      const waits: number[] = []
      for (let round = 0; round < 8; round += 1) {
        FakeStream.last.fail()
        await settleAll()
        const [wait] = timers.waits()
        waits.push(wait!)
        await timers.pass(wait!)
      }
      expect(waits[0]).toBeGreaterThanOrEqual(limits.streamRetryMs)
      expect(waits.toSorted((a, b) => a - b)).toEqual(waits)
      expect(waits.at(-1)).toBe(randomValue === 0 ? limits.streamRetryMaxMs / 2 : limits.streamRetryMaxMs)
      expect(FakeStream.created).toHaveLength(9)
    },
  )

  test('waits longer, too, if the server accepts it and ends it at once', async () => {
    connectStream()
    for (let round = 0; round < 4; round += 1) {
      FakeStream.last.accept().fail()
      await timers.pass(timers.waits()[0]!)
    }
    FakeStream.last.accept().fail()
    expect(timers.waits()[0]).toBeGreaterThanOrEqual(limits.streamRetryMaxMs / 2)
  })

  test('waits for the network and reconnects with it', () => {
    const source = connectStream().accept()
    window.dispatchEvent(new Event('offline'))
    expect(source.closed).toBe(true)
    expect(timers.waits()).toEqual([])
    window.dispatchEvent(new Event('online'))
    expect(FakeStream.created).toHaveLength(2)
  })

  test('is opened at once when the page becomes visible', async () => {
    connectStream().fail()
    await settleAll()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeStream.created).toHaveLength(2)
    expect(timers.waits()).toEqual([])
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeStream.created).toHaveLength(2)
  })

  test('is opened again after its heartbeats have stopped', async () => {
    const source = connectStream().accept()
    source.sendHint({ type: 'heartbeat' })
    await timers.pass(limits.streamSilenceMs - 1)
    source.sendHint({ type: 'heartbeat' })
    await timers.pass(limits.streamSilenceMs - 1)
    expect(source.closed).toBe(false)
    await timers.pass(1)
    expect(source.closed).toBe(true)
    await timers.pass(limits.streamRetryMs * 2)
    expect(FakeStream.created).toHaveLength(2)
    expect(hints).toEqual([])
  })

  test('of a server without heartbeats stays open', async () => {
    const source = connectStream().accept()
    source.sendHint({ type: 'hello', missed: false })
    await timers.pass(10 * limits.streamSilenceMs)
    expect(source.closed).toBe(false)
  })

  test('is never opened again after close', async () => {
    const source = connectStream().accept()
    stream.close()
    expect(source.closed).toBe(true)
    source.sendHint({ type: 'presence' })
    source.fail()
    window.dispatchEvent(new Event('online'))
    document.dispatchEvent(new Event('visibilitychange'))
    await timers.pass(60_000)
    expect(FakeStream.created).toHaveLength(1)
    expect(hints).toEqual([])
  })
})

describe('a refused stream', () => {
  test('ends if the session has ended, and reports that', async () => {
    let endCount = 0
    const unsubscribe = onSessionEnded(() => {
      endCount += 1
    })
    api.refuse(getProfile, 'no_session')
    connectStream({ isSignedIn: undefined }).fail()
    await waitForCalls(1)
    await timers.pass(120_000)
    unsubscribe()
    expect(endCount).toBe(1)
    expect(FakeStream.created).toHaveLength(1)
    expect(api.callsOf(getProfile)).toHaveLength(1)
  })

  test.each(['unavailable', 'token_expired'] as const)('is opened again for another reason (%s)', async code => {
    // Another tab has just refreshed the expired token.
    window.localStorage.setItem('watchline-refreshed-at', String(Date.now() + 60_000))
    api.refuse(getProfile, code)
    connectStream({ isSignedIn: undefined }).fail()
    await waitForCalls(code === 'token_expired' ? 2 : 1)
    await timers.pass(limits.streamRetryMs * 2)
    expect(FakeStream.created).toHaveLength(2)
  })

  test('checks the session only before it was accepted', async () => {
    api.answer(getProfile, makeUser())
    connectStream({ isSignedIn: undefined }).accept().fail()
    await timers.pass(0)
    expect(api.received).toEqual([])
  })

  test('reports whether there is a network', async () => {
    api.cut(getProfile)
    connectStream({ isSignedIn: undefined }).fail()
    await waitForCalls(1)
    expect(readConnection()).toBe('offline')
    await timers.pass(limits.streamRetryMs * 2)
    FakeStream.last.accept()
    expect(readConnection()).toBe('live')
    setConnection('offline')
    FakeStream.last.sendHint({ type: 'chat' })
    expect(readConnection()).toBe('live')
  })

  async function waitForCalls(count: number) {
    api.refuse(getAdminProfile, 'forbidden')
    for (let round = 0; round < 200 && api.callsOf(getProfile).length < count; round += 1) await settleAll()
    for (let round = 0; round < 5; round += 1) await settleAll()
    expect(api.callsOf(getProfile)).toHaveLength(count)
  }
})
