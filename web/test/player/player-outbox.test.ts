import './_immediate.ts'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { isMonitoringElsewhere } from '../../src/features/player/outbox/player-outbox.ts'
import { createServer, elsewhere, no, settleAll, yes } from './_answers.ts'
import { createBrowser, createGate, pendingOf, progress, report, started, statusOf, stopped } from './_outbox.ts'

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

describe('sending', () => {
  test('calls go one at a time, in order, and are forgotten when answered', async () => {
    const server = createServer()
    const first = createGate()
    server.answerWith(call => (call === 'save-progress' ? first.answer : yes))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(progress('v0', 1))
    outbox.add(report())
    outbox.add(stopped)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress'])
    expect(pendingOf(outbox)).toBe(2)
    first.open(yes)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress', 'monitoring'])
    expect(statusOf(outbox)).toEqual({ pending: 0, online: true })
  })

  test('each call carries its id, the same at every repetition', async () => {
    const server = createServer()
    let fails = 1
    server.answerWith(() => (fails-- > 0 ? no(503) : yes))
    const { outbox, timers } = browser.open({ api: server.api })
    outbox.add(report())
    await timers.pass(5_000)
    expect(server.received).toHaveLength(2)
    expect(server.received[0]!.options!.id).toBe(server.received[1]!.options!.id)
    expect(server.received[0]!.options!.id).toBe((server.received[0]!.body as { event_id: string }).event_id)
  })

  test('a newer position of the same video takes the place of an unsent older one', async () => {
    const server = createServer()
    const first = createGate()
    server.answerWith(() => (server.received.length === 1 ? first.answer : yes))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(report())
    await settleAll()
    outbox.add(progress('v0', 1))
    outbox.add(progress('v1', 2))
    outbox.add(progress('v0', 3))
    first.open(yes)
    await settleAll()
    const saved = server.received.filter(call => call.call === 'save-progress').map(call => call.body)
    expect(saved).toEqual([progress('v1', 2).body, progress('v0', 3).body])
  })
})

test('only the latest word on monitoring is kept', async () => {
  const server = createServer()
  server.answerWith(() => no(0))
  const { outbox } = browser.open({ api: server.api })
  outbox.add(report())
  await settleAll()
  outbox.add(stopped)
  outbox.add({ ...stopped, body: { ...stopped.body, video_progress: 9 } })
  await settleAll()
  server.answerWith(() => yes)
  server.received.length = 0
  await outbox.flush()
  expect(server.received.filter(call => call.call === 'monitoring').map(call => call.body)).toEqual([
    { ...stopped.body, video_progress: 9 },
  ])
})

describe('when the server does not answer', () => {
  test('a service that is away keeps only its own calls waiting', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'track' ? no(503) : yes))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(report('play'))
    outbox.add(progress('v0', 1))
    outbox.add(report('pause'))
    outbox.add(stopped)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress', 'monitoring'])
    expect(server.calls().filter(call => call === 'track')).toHaveLength(1)
    expect(statusOf(outbox)).toEqual({ pending: 2, online: true })
  })

  test('a report without an answer does not keep the lock waiting', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'track' ? createGate().answer : yes))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(report('play'))
    await settleAll()
    expect(await outbox.sendFirst(started)).toEqual(yes)
  })

  test('the order holds, waits grow and are bounded, and everything arrives in the end', async () => {
    const server = createServer()
    let down = true
    server.answerWith(() => (down ? no(0) : yes))
    const { outbox, timers } = browser.open({ api: server.api })
    outbox.add(report('play'))
    outbox.add(report('pause'))
    const waits: number[] = []
    for (let tries = 0; tries < 9; tries += 1) {
      await settleAll()
      waits.push(timers.waits()[0]!)
      await timers.pass(waits.at(-1)!)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000])
    expect(statusOf(outbox)).toEqual({ pending: 2, online: false })
    expect(new Set(server.received.map(call => (call.body as { event_type: string }).event_type))).toEqual(
      new Set(['play']),
    )
    down = false
    server.received.length = 0
    await outbox.flush()
    expect(server.received.map(call => (call.body as { event_type: string }).event_type)).toEqual(['play', 'pause'])
    expect(statusOf(outbox)).toEqual({ pending: 0, online: true })
  })

  test('Retry-After is kept, also when more is added meanwhile', async () => {
    const server = createServer()
    server.answerWith(() => no(503, { retryAfter: 20 }))
    const { outbox, timers } = browser.open({ api: server.api })
    outbox.add(report())
    await settleAll()
    outbox.add(report())
    await timers.pass(19_000)
    expect(server.received).toHaveLength(1)
    await timers.pass(1_000)
    expect(server.received).toHaveLength(2)
  })

  test('a request that never ends counts as none', async () => {
    const server = createServer()
    server.answerWith(() => (server.received.length === 1 ? createGate().answer : yes))
    const { outbox, timers } = browser.open({ api: server.api })
    outbox.add(report())
    await timers.pass(29_000)
    expect(server.received).toHaveLength(1)
    await timers.pass(3_000)
    expect(server.received).toHaveLength(2)
    expect(server.received[0]!.options!.signal!.aborted).toBe(true)
    expect(pendingOf(outbox)).toBe(0)
  })

  test('being signed out keeps everything for later', async () => {
    const server = createServer()
    server.answerWith(() => no(401, { code: 'no_session' }))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(report())
    await settleAll()
    expect(pendingOf(outbox)).toBe(1)
  })
})

describe('a refused call', () => {
  test('is logged and dropped, and the next call goes on', async () => {
    const server = createServer()
    server.answerWith(() => (server.received.length === 1 ? no(422, { code: 'invalid' }) : yes))
    const { outbox, logged } = browser.open({ api: server.api })
    outbox.add(report('play'))
    outbox.add(report('pause'))
    await settleAll()
    expect(server.received.map(call => (call.body as { event_type: string }).event_type)).toEqual(['play', 'pause'])
    expect(pendingOf(outbox)).toBe(0)
    expect(logged).toEqual(['server refused a call, dropping it'])
  })

  test('monitoring elsewhere reaches the listeners; another conflict does not', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'save-progress' ? elsewhere : no(409, { code: 'conflict' })))
    const { outbox } = browser.open({ api: server.api })
    const elsewhereKinds: string[] = []
    outbox.onAnswered((call, answer) => {
      if (isMonitoringElsewhere(answer)) elsewhereKinds.push(call.kind)
    })
    outbox.add(report())
    outbox.add(progress('v0', 1))
    await settleAll()
    expect(elsewhereKinds).toEqual(['save-progress'])
  })
})

describe('requesting the lock', () => {
  test('goes ahead of waiting calls and replaces an unsent release', async () => {
    const server = createServer()
    let down = true
    server.answerWith(() => (down ? no(0) : yes))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(progress('v0', 1))
    outbox.add(stopped)
    await settleAll()
    down = false
    server.received.length = 0
    expect(await outbox.sendFirst(started)).toEqual(yes)
    await settleAll()
    expect(server.received.map(call => [call.call, (call.body as { is_monitoring?: boolean }).is_monitoring])).toEqual([
      ['monitoring', true],
      ['save-progress', undefined],
    ])
  })

  test('waits for a release that is in flight', async () => {
    const server = createServer()
    const release = createGate()
    server.answerWith((_call, body) => ((body as { is_monitoring: boolean }).is_monitoring ? yes : release.answer))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(stopped)
    await settleAll()
    const answer = outbox.sendFirst(started)
    await settleAll()
    expect(server.received).toHaveLength(1)
    release.open(yes)
    await answer
    expect(server.received).toHaveLength(2)
  })

  test('answers with the server’s answer and is never repeated', async () => {
    const server = createServer()
    server.answerWith(() => elsewhere)
    const { outbox, timers } = browser.open({ api: server.api })
    expect(await outbox.sendFirst(started)).toEqual(elsewhere)
    await timers.pass(120_000)
    expect(server.received).toHaveLength(1)
  })
})
