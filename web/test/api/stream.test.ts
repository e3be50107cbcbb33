import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import { readConnection, setConnection } from '../../src/api/connection.ts'
import { onSessionEnded } from '../../src/api/send.ts'
import { openStream, type Stream, type StreamOptions } from '../../src/api/stream.ts'
import { createTimers, settleAll } from '../player/_answers.ts'
import { fakeApi } from '../support/fake-api.ts'
import { FakeStream } from '../support/fake-stream.ts'
import { aUser } from '../support/people.ts'

const api = fakeApi()
let hints: Hint[]
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

function open(options: Partial<StreamOptions> = {}) {
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
  test('passes on the hints of the server, except unknown ones', () => {
    const source = open().accept()
    expect(source.url).toBe('http://localhost/api/stream')
    source.sendHint({ type: 'hello', missed: false })
    source.sendHint({ type: 'presence' })
    source.sendHint({ type: 'of tomorrow' })
    source.sendRaw('not even JSON')
    expect(hints).toEqual([{ type: 'hello', missed: false }, { type: 'presence' }])
  })

  test('that broke is opened again by its own timer, and then something was missed', async () => {
    const first = open().accept()
    first.sendHint({ type: 'hello', missed: false })
    await timers.pass(limits.streamHeartbeatMs)
    first.fail()
    expect(first.closed).toBe(true)
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

  test.each([0, 1])('that fails is opened again with growing waits, within limits (chance %d)', async chance => {
    open({ random: () => chance })
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
    expect(waits.at(-1)).toBe(chance === 0 ? limits.streamRetryMaxMs / 2 : limits.streamRetryMaxMs)
    expect(FakeStream.created).toHaveLength(9)
  })

  test('that is accepted and ends at once again and again waits longer, too', async () => {
    open()
    for (let round = 0; round < 4; round += 1) {
      FakeStream.last.accept().fail()
      await timers.pass(timers.waits()[0]!)
    }
    FakeStream.last.accept().fail()
    expect(timers.waits()[0]).toBeGreaterThanOrEqual(limits.streamRetryMaxMs / 2)
  })

  test('waits for the network, and comes back with it at once', () => {
    const source = open().accept()
    window.dispatchEvent(new Event('offline'))
    expect(source.closed).toBe(true)
    expect(timers.waits()).toEqual([])
    window.dispatchEvent(new Event('online'))
    expect(FakeStream.created).toHaveLength(2)
  })

  test('is opened at once when the page becomes visible', async () => {
    open().fail()
    await settleAll()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeStream.created).toHaveLength(2)
    expect(timers.waits()).toEqual([])
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeStream.created).toHaveLength(2)
  })

  test('when closed is closed for good', async () => {
    const source = open().accept()
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

describe('a stream that is not accepted', () => {
  test('ends with the session, and reports its end', async () => {
    let ended = 0
    const stop = onSessionEnded(() => {
      ended += 1
    })
    api.refuse(getProfile, 'no_session')
    open({ isSignedIn: undefined }).fail()
    await waitForCalls(1)
    await timers.pass(120_000)
    stop()
    expect(ended).toBe(1)
    expect(FakeStream.created).toHaveLength(1)
    expect(api.callsOf(getProfile)).toHaveLength(1)
  })

  test.each(['unavailable', 'token_expired'] as const)('for another reason (%s) is opened again', async code => {
    // Another tab has just refreshed the expired token.
    window.localStorage.setItem('watchline-refreshed-at', String(Date.now() + 60_000))
    api.refuse(getProfile, code)
    open({ isSignedIn: undefined }).fail()
    await waitForCalls(code === 'token_expired' ? 2 : 1)
    await timers.pass(limits.streamRetryMs * 2)
    expect(FakeStream.created).toHaveLength(2)
  })

  test('checks the session only then, not after an open stream broke', async () => {
    api.answer(getProfile, aUser())
    open({ isSignedIn: undefined }).accept().fail()
    await timers.pass(0)
    expect(api.received).toEqual([])
  })

  test('reports whether there is a network', async () => {
    api.cut(getProfile)
    open({ isSignedIn: undefined }).fail()
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
