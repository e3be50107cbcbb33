import './_immediate.ts'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { isMonitoringElsewhere } from '../../src/features/player/outbox/player-outbox.ts'
import { createServer, elsewhereAnswer, makeFailure, okAnswer, settleAll } from './_answers.ts'
import {
  countPending,
  createBrowser,
  createPendingAnswer,
  makeProgress,
  makeReport,
  outboxStatus,
  startCall,
  stopCall,
} from './_player-outbox.ts'

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

describe('the player outbox', () => {
  test('sends one call at a time, in order, and removes each with its answer', async () => {
    const server = createServer()
    const firstAnswer = createPendingAnswer()
    server.answerWith(call => (call === 'save-progress' ? firstAnswer.answer : okAnswer))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeProgress('v0', 1))
    outbox.add(makeReport())
    outbox.add(stopCall)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress'])
    expect(countPending(outbox)).toBe(2)
    firstAnswer.resolve(okAnswer)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress', 'monitoring'])
    expect(outboxStatus(outbox)).toEqual({ pending: 0, online: true })
  })

  test('sends each call with an id that all attempts share', async () => {
    const server = createServer()
    let failuresLeft = 1
    server.answerWith(() => (failuresLeft-- > 0 ? makeFailure(503) : okAnswer))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    await timers.pass(5_000)
    expect(server.received).toHaveLength(2)
    expect(server.received[0]!.options!.id).toBe(server.received[1]!.options!.id)
    expect(server.received[0]!.options!.id).toBe((server.received[0]!.body as { event_id: string }).event_id)
  })

  test('replaces an unsent position by a newer one of the same video', async () => {
    const server = createServer()
    const firstAnswer = createPendingAnswer()
    server.answerWith(() => (server.received.length === 1 ? firstAnswer.answer : okAnswer))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    await settleAll()
    outbox.add(makeProgress('v0', 1))
    outbox.add(makeProgress('v1', 2))
    outbox.add(makeProgress('v0', 3))
    firstAnswer.resolve(okAnswer)
    await settleAll()
    const savedPositions = server.received.filter(call => call.call === 'save-progress').map(call => call.body)
    expect(savedPositions).toEqual([makeProgress('v1', 2).body, makeProgress('v0', 3).body])
  })
})

test('the answer to an attention check overtakes unsent reports, which would make it late', async () => {
  const server = createServer()
  server.answerWith(() => makeFailure(0))
  const { outbox } = browser.openOutbox({ api: server.api })
  outbox.add(makeReport())
  await settleAll()
  const body = { id: 'c1', at: 1, until: 2 }
  outbox.add({ kind: 'attention-check', body: { ...body, action: 'extend' } })
  outbox.add({ kind: 'attention-check', body: { ...body, action: 'extend' } })
  outbox.add({ kind: 'attention-check', body: { ...body, action: 'answer' } })
  await settleAll()
  server.answerWith(() => okAnswer)
  server.received.length = 0
  await outbox.flush()
  expect(server.received).toMatchObject([
    // Without it, the answer could be late.
    { call: 'attention-check', body: { ...body, action: 'extend' } },
    { call: 'attention-check', body: { ...body, action: 'answer' } },
    { call: 'track' },
  ])
})

test('the outbox keeps only the latest change of monitoring', async () => {
  const server = createServer()
  server.answerWith(() => makeFailure(0))
  const { outbox } = browser.openOutbox({ api: server.api })
  outbox.add(makeReport())
  await settleAll()
  outbox.add(stopCall)
  outbox.add({ ...stopCall, body: { ...stopCall.body, video_progress: 9 } })
  await settleAll()
  server.answerWith(() => okAnswer)
  server.received.length = 0
  await outbox.flush()
  expect(server.received.filter(call => call.call === 'monitoring').map(call => call.body)).toEqual([
    { ...stopCall.body, video_progress: 9 },
  ])
})

describe('without an answer', () => {
  test('an unavailable service delays only its own calls', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'track' ? makeFailure(503) : okAnswer))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport('play'))
    outbox.add(makeProgress('v0', 1))
    outbox.add(makeReport('pause'))
    outbox.add(stopCall)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress', 'monitoring'])
    expect(server.calls().filter(call => call === 'track')).toHaveLength(1)
    expect(outboxStatus(outbox)).toEqual({ pending: 2, online: true })
  })

  test('a report does not delay the lock', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'track' ? createPendingAnswer().answer : okAnswer))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport('play'))
    await settleAll()
    expect(await outbox.sendFirst(startCall)).toEqual(okAnswer)
  })

  test('the order holds, waits grow to a bound, and everything arrives in the end', async () => {
    const server = createServer()
    let isDown = true
    server.answerWith(() => (isDown ? makeFailure(0) : okAnswer))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport('play'))
    outbox.add(makeReport('pause'))
    const waits: number[] = []
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await settleAll()
      waits.push(timers.waits()[0]!)
      await timers.pass(waits.at(-1)!)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000])
    expect(outboxStatus(outbox)).toEqual({ pending: 2, online: false })
    expect(new Set(server.received.map(call => (call.body as { event_type: string }).event_type))).toEqual(
      new Set(['play']),
    )
    isDown = false
    server.received.length = 0
    await outbox.flush()
    expect(server.received.map(call => (call.body as { event_type: string }).event_type)).toEqual(['play', 'pause'])
    expect(outboxStatus(outbox)).toEqual({ pending: 0, online: true })
  })

  test('Retry-After with a random part holds even if more calls are added', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(503, { retryAfter: 20 }))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    await settleAll()
    outbox.add(makeReport())
    await timers.pass(20_000)
    expect(server.received).toHaveLength(1)
    await timers.pass(10_000)
    expect(server.received).toHaveLength(2)
  })

  test('an overloaded server sets the pace, without a doubled wait', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(503, { code: 'overloaded', retryAfter: 2 }))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    for (const attempts of [1, 2, 3, 4, 5, 6]) {
      await settleAll()
      expect(server.received).toHaveLength(attempts)
      await timers.pass(3_000)
    }
  })

  test('a request without an end is aborted and repeated', async () => {
    const server = createServer()
    server.answerWith(() => (server.received.length === 1 ? createPendingAnswer().answer : okAnswer))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    await timers.pass(29_000)
    expect(server.received).toHaveLength(1)
    await timers.pass(3_000)
    expect(server.received).toHaveLength(2)
    expect(server.received[0]!.options!.signal!.aborted).toBe(true)
    expect(countPending(outbox)).toBe(0)
  })

  test('a signed-out session keeps every call for later', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(401, { code: 'no_session' }))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    await settleAll()
    expect(countPending(outbox)).toBe(1)
  })
})

describe('a refused call', () => {
  test('is logged and dropped, and the next call is sent', async () => {
    const server = createServer()
    server.answerWith(() => (server.received.length === 1 ? makeFailure(422, { code: 'invalid' }) : okAnswer))
    const { outbox, logMessages } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport('play'))
    outbox.add(makeReport('pause'))
    await settleAll()
    expect(server.received.map(call => (call.body as { event_type: string }).event_type)).toEqual(['play', 'pause'])
    expect(countPending(outbox)).toBe(0)
    expect(logMessages).toEqual(['server refused a call, dropping it'])
  })

  test('reaches the listeners for monitoring elsewhere, not for another conflict', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'save-progress' ? elsewhereAnswer : makeFailure(409, { code: 'conflict' })))
    const { outbox } = browser.openOutbox({ api: server.api })
    const elsewhereKinds: string[] = []
    outbox.onAnswered((call, answer) => {
      if (isMonitoringElsewhere(answer)) elsewhereKinds.push(call.kind)
    })
    outbox.add(makeReport())
    outbox.add(makeProgress('v0', 1))
    await settleAll()
    expect(elsewhereKinds).toEqual(['save-progress'])
  })
})

describe('a request for the lock', () => {
  test('is sent before waiting calls and replaces an unsent release', async () => {
    const server = createServer()
    let isDown = true
    server.answerWith(() => (isDown ? makeFailure(0) : okAnswer))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeProgress('v0', 1))
    outbox.add(stopCall)
    await settleAll()
    isDown = false
    server.received.length = 0
    expect(await outbox.sendFirst(startCall)).toEqual(okAnswer)
    await settleAll()
    expect(server.received.map(call => [call.call, (call.body as { is_monitoring?: boolean }).is_monitoring])).toEqual([
      ['monitoring', true],
      ['save-progress', undefined],
    ])
  })

  test('waits for a release in flight', async () => {
    const server = createServer()
    const releaseAnswer = createPendingAnswer()
    server.answerWith((_call, body) =>
      (body as { is_monitoring: boolean }).is_monitoring ? okAnswer : releaseAnswer.answer,
    )
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(stopCall)
    await settleAll()
    const answer = outbox.sendFirst(startCall)
    await settleAll()
    expect(server.received).toHaveLength(1)
    releaseAnswer.resolve(okAnswer)
    await answer
    expect(server.received).toHaveLength(2)
  })

  test('returns the server’s answer and is never repeated', async () => {
    const server = createServer()
    server.answerWith(() => elsewhereAnswer)
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    expect(await outbox.sendFirst(startCall)).toEqual(elsewhereAnswer)
    await timers.pass(120_000)
    expect(server.received).toHaveLength(1)
  })
})
