import './_immediate.ts'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { IDBFactory } from 'fake-indexeddb'
import { openDB } from 'idb'
import { readUnsentPositions } from '../../src/features/player/outbox/player-outbox.ts'
import { createDatabaseStorage } from '../../src/outbox/database-storage.ts'
import { createServer, makeFailure, okAnswer, settleAll } from './_answers.ts'
import {
  countPending,
  createBrowser,
  createPendingAnswer,
  describeReport,
  makePlayReport,
  makeProgress,
  makeReport,
  noStorage,
  stopCall,
} from './_player-outbox.ts'

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

describe('reports of a continuous play without a network', () => {
  async function sendAfterOffline(reports: readonly ReturnType<typeof makePlayReport>[]) {
    const server = createServer()
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makePlayReport('play', 0))
    await settleAll()
    outbox.setPaused(true)
    for (const playReport of reports) outbox.add(playReport)
    server.received.length = 0
    outbox.setPaused(false)
    await outbox.flush()
    return server.received.map(describeReport)
  }
  const reportsEvery10s = (to: number) =>
    Array.from({ length: Math.floor(to / 10) }, (_, index) => makePlayReport('playing', (index + 1) * 10))

  test('become one with the latest position', async () => {
    expect(await sendAfterOffline(reportsEvery10s(60))).toEqual(['playing 60'])
  })

  test('become one with the pause that ends the play', async () => {
    expect(await sendAfterOffline([...reportsEvery10s(60), makePlayReport('pause', 63)])).toEqual(['pause 63'])
  })

  test('become reports of less than 300 s each, which the server still accepts', async () => {
    const sentCalls = await sendAfterOffline([...reportsEvery10s(1_000), makePlayReport('ended', 1_004)])
    const times = [0, ...sentCalls.map(text => Number(text.split(' ')[1]))]
    expect(times.at(-1)).toBe(1_004)
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).toBeLessThan(300)
    expect(sentCalls).toHaveLength(4)
  })

  test('stay separate across a jump, a change of rate and another play', async () => {
    expect(await sendAfterOffline([makePlayReport('playing', 10), makePlayReport('playing', 40, 20)])).toEqual([
      'playing 10',
      'playing 40',
    ])
    expect(await sendAfterOffline([makePlayReport('playing', 10), makePlayReport('playing', 30, 20, 2)])).toEqual([
      'playing 10',
      'playing 30',
    ])
    expect(
      await sendAfterOffline([
        makePlayReport('playing', 10),
        makePlayReport('pause', 12),
        makePlayReport('play', 50, 20),
        makePlayReport('playing', 60, 30),
      ]),
    ).toEqual(['pause 12', 'play 50', 'playing 60'])
  })

  test('do not merge into a call in flight', async () => {
    const server = createServer()
    const firstAnswer = createPendingAnswer()
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makePlayReport('play', 0))
    await settleAll()
    server.answerWith((_call, body) =>
      (body as { watch_time: number }).watch_time === 10 ? firstAnswer.answer : okAnswer,
    )
    outbox.add(makePlayReport('playing', 10))
    await settleAll()
    outbox.add(makePlayReport('playing', 20))
    outbox.add(makePlayReport('playing', 30))
    firstAnswer.resolve(okAnswer)
    await settleAll()
    expect(server.received.map(describeReport)).toEqual(['play 0', 'playing 10', 'playing 30'])
  })
})

describe('unsent calls', () => {
  test('survive a reload and are sent in order', async () => {
    const unavailableServer = createServer()
    unavailableServer.answerWith(() => makeFailure(0))
    const earlierOutbox = browser.openOutbox({ api: unavailableServer.api }).outbox
    const calls = [makeReport('play'), makeReport('playing'), makeReport('pause')]
    for (const call of calls) earlierOutbox.add(call)
    await settleAll()
    earlierOutbox.close()

    const server = createServer()
    const { outbox } = browser.openOutbox({ api: server.api })
    await settleAll()
    expect(server.received.map(call => call.body)).toEqual(calls.map(call => call.body))
    expect(countPending(outbox)).toBe(0)
  })

  test('are never sent by another person in the same browser', async () => {
    const unavailableServer = createServer()
    unavailableServer.answerWith(() => makeFailure(0))
    browser.openOutbox({ api: unavailableServer.api }).outbox.add(makeReport())
    await settleAll()

    const server = createServer()
    const otherOutbox = browser.openOutbox({ api: server.api, personId: 'trainee2' }).outbox
    await settleAll()
    await otherOutbox.flush()
    expect(server.received).toEqual([])
    expect(countPending(otherOutbox)).toBe(0)
  })

  test('are sent once by two tabs', async () => {
    const unavailableServer = createServer()
    unavailableServer.answerWith(() => makeFailure(0))
    const earlierOutbox = browser.openOutbox({ api: unavailableServer.api }).outbox
    for (let call = 0; call < 10; call += 1) earlierOutbox.add(makeReport())
    await settleAll()
    earlierOutbox.close()

    const server = createServer()
    const tabs = [browser.openOutbox({ api: server.api }), browser.openOutbox({ api: server.api })]
    await Promise.all(tabs.map(tab => tab.outbox.flush()))
    await settleAll()
    const ids = server.received.map(call => call.options!.id)
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(10)
  })

  test('keep their ids in two tabs without locks, so that the server recognises what both of them send', async () => {
    const unavailableServer = createServer()
    unavailableServer.answerWith(() => makeFailure(0))
    const earlierOutbox = browser.openOutbox({ api: unavailableServer.api }).outbox
    const reports = Array.from({ length: 10 }, () => makeReport())
    for (const report of reports) earlierOutbox.add(report)
    await settleAll()
    earlierOutbox.close()

    const server = createServer()
    const tabs = [1, 2].map(() => browser.openOutbox({ api: server.api, locks: undefined }))
    await Promise.all(tabs.map(tab => tab.outbox.flush()))
    await settleAll()
    const sentIds = new Set(server.received.map(({ body }) => (body as { event_id: string }).event_id))
    expect([...sentIds]).toEqual(reports.map(({ body }) => body.event_id))
    expect(tabs.map(({ outbox }) => countPending(outbox))).toEqual([0, 0])
  })

  test('are dropped if they release the lock too late', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(0))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(stopCall)
    await timers.pass(6 * 60_000)
    server.received.length = 0
    server.answerWith(() => okAnswer)
    await outbox.flush()
    expect(server.received).toEqual([])
    expect(countPending(outbox)).toBe(0)
  })

  test('are all sent by keepalive requests when the page is hidden', async () => {
    const server = createServer()
    const firstAnswer = createPendingAnswer()
    server.answerWith((_call, _body, options) => (options?.keepalive ? okAnswer : firstAnswer.answer))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    await settleAll()
    outbox.add(makeProgress('v0', 9))
    outbox.add(stopCall)
    outbox.sendOnHide()
    // Nothing asynchronous has run yet, because the page may close after this handler.
    const sentCalls = server.received.filter(call => call.options?.keepalive).map(call => call.call)
    expect(sentCalls).toEqual(['track', 'save-progress', 'monitoring'])
    await settleAll()
    firstAnswer.resolve(okAnswer)
    await settleAll()
    expect(countPending(outbox)).toBe(0)
    expect(server.received).toHaveLength(4)
  })

  test('keep the order of reports when the page is hidden: each waits for the one before', async () => {
    const server = createServer()
    const firstAnswer = createPendingAnswer()
    server.answerWith(call => (call === 'track' && server.received.length === 1 ? firstAnswer.answer : okAnswer))
    const { outbox } = browser.openOutbox({ api: server.api, online: true })
    outbox.setPaused(true)
    outbox.add(makePlayReport('play', 0))
    outbox.add(makePlayReport('pause', 4))
    outbox.sendOnHide()
    expect(server.received.map(describeReport)).toEqual(['play 0'])
    await settleAll()
    expect(server.received).toHaveLength(1)
    firstAnswer.resolve(okAnswer)
    await settleAll()
    expect(server.received.map(describeReport)).toEqual(['play 0', 'pause 4'])
    expect(server.received.every(call => call.options?.keepalive)).toBe(true)
    outbox.setPaused(false)
    await settleAll()
    expect(server.received).toHaveLength(2)
    expect(countPending(outbox)).toBe(0)
  })

  test('wait behind a failed report when the page is hidden', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(0))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.setPaused(true)
    outbox.add(makePlayReport('play', 0))
    outbox.add(makePlayReport('pause', 4))
    outbox.sendOnHide()
    await settleAll()
    expect(server.received.map(describeReport)).toEqual(['play 0'])
    server.answerWith(() => okAnswer)
    outbox.setPaused(false)
    await settleAll()
    expect(server.received.map(describeReport)).toEqual(['play 0', 'play 0', 'pause 4'])
  })

  test('that save and release are one call when the page is hidden; if it fails, both stay', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(0))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.setPaused(true)
    outbox.add(makeProgress('v0', 9))
    outbox.add({ ...stopCall, body: { ...stopCall.body, video_progress: 9 } })
    outbox.sendOnHide()
    await settleAll()
    expect(server.calls()).toEqual(['monitoring'])
    expect(countPending(outbox)).toBe(2)
    server.answerWith(() => okAnswer)
    outbox.sendOnHide()
    await settleAll()
    expect(server.calls()).toEqual(['monitoring', 'monitoring'])
    expect(countPending(outbox)).toBe(0)
  })

  test('are sent when the outbox runs again, although their retry was due in between', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(503))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makePlayReport('play', 0))
    await settleAll()
    outbox.setPaused(true)
    await timers.pass(120_000)
    expect(server.received).toHaveLength(1)
    server.answerWith(() => okAnswer)
    outbox.setPaused(false)
    await settleAll()
    expect(countPending(outbox)).toBe(0)
  })

  test('that failed when the page was hidden are sent again', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(0))
    const { outbox } = browser.openOutbox({ api: server.api })
    outbox.add(makeReport())
    outbox.sendOnHide()
    await settleAll()
    server.answerWith(() => okAnswer)
    await outbox.flush()
    await settleAll()
    expect(countPending(outbox)).toBe(0)
    expect(new Set(server.received.map(call => call.options!.id)).size).toBe(1)
  })

  test('contain the unacknowledged positions of a playlist, with their times', async () => {
    const server = createServer()
    server.answerWith(() => makeFailure(0))
    const { outbox, timers } = browser.openOutbox({ api: server.api })
    outbox.add(makeProgress('v0', 12))
    outbox.add(makeProgress('v1', 4))
    expect(await readUnsentPositions(outbox, 'p1')).toEqual([
      expect.objectContaining({ at: timers.now(), body: makeProgress('v0', 12).body }),
      expect.objectContaining({ at: timers.now(), body: makeProgress('v1', 4).body }),
    ])
    expect(await readUnsentPositions(outbox, 'other')).toEqual([])
  })

  test('are sent without a database, too', async () => {
    const server = createServer()
    const { outbox } = browser.openOutbox({ api: server.api, storage: noStorage })
    outbox.add(makeReport())
    await settleAll()
    expect(server.calls()).toEqual(['track'])
    expect(countPending(outbox)).toBe(0)
  })

  test('are held in memory if the database cannot be opened', async () => {
    globalThis.indexedDB = {
      open() {
        throw new DOMException('no', 'SecurityError')
      },
    } as unknown as IDBFactory
    const logged: string[] = []
    const storage = createDatabaseStorage('trainee1', message => logged.push(message))
    expect(await storage.read()).toEqual([])
    expect(logged).toHaveLength(1)
  })

  test('are sent at once if they cannot be stored', async () => {
    const server = createServer()
    const storage = { ...noStorage, add: () => Promise.reject(new Error('quota')) }
    const { outbox } = browser.openOutbox({ api: server.api, storage })
    outbox.add(makeReport())
    await settleAll()
    expect(server.calls()).toEqual(['track'])
  })
})

/** Stores calls in the form of version 1 of the page. */
async function storeAsEarlierVersion(...calls: object[]) {
  const database = await openDB('watchline-journal', 1, {
    upgrade(newDatabase) {
      newDatabase.createObjectStore('calls', { keyPath: 'order', autoIncrement: true }).createIndex('person', 'person')
    },
  })
  for (const call of calls) await database.add('calls', call)
  database.close()
}

describe('calls stored by an earlier version', () => {
  test('are sent in order with their ids', async () => {
    const calls = [makeReport('play'), makeReport('playing'), makeProgress('v0', 12)].map((call, index) => ({
      ...call,
      id: `00000000-0000-4000-8000-aaaaaaaaaaa${index}`,
      person: 'trainee1',
      at: 1_000_000 + index,
    }))
    browser.activate()
    await storeAsEarlierVersion(...calls, { ...makeReport(), id: 'not mine', person: 'trainee2', at: 1 })
    const server = createServer()
    const { outbox } = browser.openOutbox({ api: server.api })
    await settleAll()
    expect(server.received.filter(({ call }) => call === 'track').map(({ body }) => body)).toEqual(
      calls.slice(0, 2).map(({ body }) => body),
    )
    expect(new Set(server.received.map(({ options }) => options!.id))).toEqual(new Set(calls.map(({ id }) => id)))
    expect(countPending(outbox)).toBe(0)
    expect(await createDatabaseStorage('trainee1', () => {}).read()).toEqual([])
  })

  test('are sent even if a comment is among them', async () => {
    const body = { playlist_id: 'p1', video_id: 'v0', timestamp: 7, comment: 'Mind the step', client_id: 'c1' }
    browser.activate()
    await storeAsEarlierVersion({ kind: 'comment', body, id: 'c1', person: 'trainee1', at: 1 })
    const server = createServer()
    browser.openOutbox({ api: server.api })
    await settleAll()
    expect(server.received.map(({ call, body, options }) => [call, body, options!.id])).toEqual([
      ['comment', body, 'c1'],
    ])
  })
})
