import './_immediate.ts'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { IDBFactory } from 'fake-indexeddb'
import { openDB } from 'idb'
import { readUnsentProgress } from '../../src/features/player/outbox/player-outbox.ts'
import { createDatabaseStorage } from '../../src/outbox/database-storage.ts'
import { createServer, no, settleAll, yes } from './_answers.ts'
import {
  createBrowser,
  createGate,
  kindAndTime,
  noStorage,
  pendingOf,
  played,
  progress,
  report,
  stopped,
} from './_outbox.ts'

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

describe('reports of an unbroken play without a network', () => {
  async function sendAfterOffline(reports: readonly ReturnType<typeof played>[]) {
    const server = createServer()
    const { outbox } = browser.open({ api: server.api })
    outbox.add(played('play', 0))
    await settleAll()
    outbox.setPaused(true)
    for (const report of reports) outbox.add(report)
    server.received.length = 0
    outbox.setPaused(false)
    await outbox.flush()
    return server.received.map(kindAndTime)
  }
  const every10 = (to: number) =>
    Array.from({ length: Math.floor(to / 10) }, (_, index) => played('playing', (index + 1) * 10))

  test('become one, up to the latest', async () => {
    expect(await sendAfterOffline(every10(60))).toEqual(['playing 60'])
  })

  test('also with the pause that ends it', async () => {
    expect(await sendAfterOffline([...every10(60), played('pause', 63)])).toEqual(['pause 63'])
  })

  test('become steps that the server still believes: each under 300 s', async () => {
    const sent = await sendAfterOffline([...every10(1_000), played('ended', 1_004)])
    const times = [0, ...sent.map(text => Number(text.split(' ')[1]))]
    expect(times.at(-1)).toBe(1_004)
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).toBeLessThan(300)
    expect(sent).toHaveLength(4)
  })

  test('stay apart across a jump, another rate and another play', async () => {
    expect(await sendAfterOffline([played('playing', 10), played('playing', 40, 20)])).toEqual([
      'playing 10',
      'playing 40',
    ])
    expect(await sendAfterOffline([played('playing', 10), played('playing', 30, 20, 2)])).toEqual([
      'playing 10',
      'playing 30',
    ])
    expect(
      await sendAfterOffline([
        played('playing', 10),
        played('pause', 12),
        played('play', 50, 20),
        played('playing', 60, 30),
      ]),
    ).toEqual(['pause 12', 'play 50', 'playing 60'])
  })

  test('do not merge into a call that is in flight', async () => {
    const server = createServer()
    const first = createGate()
    const { outbox } = browser.open({ api: server.api })
    outbox.add(played('play', 0))
    await settleAll()
    server.answerWith((_call, body) => ((body as { watch_time: number }).watch_time === 10 ? first.answer : yes))
    outbox.add(played('playing', 10))
    await settleAll()
    outbox.add(played('playing', 20))
    outbox.add(played('playing', 30))
    first.open(yes)
    await settleAll()
    expect(server.received.map(kindAndTime)).toEqual(['play 0', 'playing 10', 'playing 30'])
  })
})

describe('nothing is lost', () => {
  test('unsent calls survive a reload and are sent in order', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    const before = browser.open({ api: down.api }).outbox
    const bodies = [report('play'), report('playing'), report('pause')]
    for (const call of bodies) before.add(call)
    await settleAll()
    before.close()

    const server = createServer()
    const { outbox } = browser.open({ api: server.api })
    await settleAll()
    expect(server.received.map(call => call.body)).toEqual(bodies.map(call => call.body))
    expect(pendingOf(outbox)).toBe(0)
  })

  test('another person on the same browser never sends it', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    browser.open({ api: down.api }).outbox.add(report())
    await settleAll()

    const server = createServer()
    const foreign = browser.open({ api: server.api, personId: 'trainee2' }).outbox
    await settleAll()
    await foreign.flush()
    expect(server.received).toEqual([])
    expect(pendingOf(foreign)).toBe(0)
  })

  test('two tabs do not send a call twice', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    const before = browser.open({ api: down.api }).outbox
    for (let call = 0; call < 10; call += 1) before.add(report())
    await settleAll()
    before.close()

    const server = createServer()
    const tabs = [browser.open({ api: server.api }), browser.open({ api: server.api })]
    await Promise.all(tabs.map(tab => tab.outbox.flush()))
    await settleAll()
    const ids = server.received.map(call => call.options!.id)
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(10)
  })

  test('a release that comes too late to matter is not sent', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { outbox, timers } = browser.open({ api: server.api })
    outbox.add(stopped)
    await timers.pass(6 * 60_000)
    server.received.length = 0
    server.answerWith(() => yes)
    await outbox.flush()
    expect(server.received).toEqual([])
    expect(pendingOf(outbox)).toBe(0)
  })

  test('on hiding, everything unsent goes out at once and outlives the page', async () => {
    const server = createServer()
    const first = createGate()
    server.answerWith((_call, _body, options) => (options?.keepalive ? yes : first.answer))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(report())
    await settleAll()
    outbox.add(progress('v0', 9))
    outbox.add(stopped)
    outbox.sendOnHide()
    // Nothing asynchronous has run yet, because the page may close after this handler.
    const sent = server.received.filter(call => call.options?.keepalive).map(call => call.call)
    expect(sent).toEqual(['track', 'save-progress', 'monitoring'])
    await settleAll()
    first.open(yes)
    await settleAll()
    expect(pendingOf(outbox)).toBe(0)
    expect(server.received).toHaveLength(4)
  })

  test('on hiding, reports keep their order: the next goes when the one before it has arrived', async () => {
    const server = createServer()
    const first = createGate()
    server.answerWith(call => (call === 'track' && server.received.length === 1 ? first.answer : yes))
    const { outbox } = browser.open({ api: server.api, online: true })
    outbox.setPaused(true)
    outbox.add(played('play', 0))
    outbox.add(played('pause', 4))
    outbox.sendOnHide()
    expect(server.received.map(kindAndTime)).toEqual(['play 0'])
    await settleAll()
    expect(server.received).toHaveLength(1)
    first.open(yes)
    await settleAll()
    expect(server.received.map(kindAndTime)).toEqual(['play 0', 'pause 4'])
    expect(server.received.every(call => call.options?.keepalive)).toBe(true)
    outbox.setPaused(false)
    await settleAll()
    expect(server.received).toHaveLength(2)
    expect(pendingOf(outbox)).toBe(0)
  })

  test('on hiding, reports after a failed one wait', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { outbox } = browser.open({ api: server.api })
    outbox.setPaused(true)
    outbox.add(played('play', 0))
    outbox.add(played('pause', 4))
    outbox.sendOnHide()
    await settleAll()
    expect(server.received.map(kindAndTime)).toEqual(['play 0'])
    server.answerWith(() => yes)
    outbox.setPaused(false)
    await settleAll()
    expect(server.received.map(kindAndTime)).toEqual(['play 0', 'play 0', 'pause 4'])
  })

  test('on hiding, the release carries the position; if it fails both are kept', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { outbox } = browser.open({ api: server.api })
    outbox.setPaused(true)
    outbox.add(progress('v0', 9))
    outbox.add({ ...stopped, body: { ...stopped.body, video_progress: 9 } })
    outbox.sendOnHide()
    await settleAll()
    expect(server.calls()).toEqual(['monitoring'])
    expect(pendingOf(outbox)).toBe(2)
    server.answerWith(() => yes)
    outbox.sendOnHide()
    await settleAll()
    expect(server.calls()).toEqual(['monitoring', 'monitoring'])
    expect(pendingOf(outbox)).toBe(0)
  })

  test('calls that failed on hiding are sent again', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(report())
    outbox.sendOnHide()
    await settleAll()
    server.answerWith(() => yes)
    await outbox.flush()
    await settleAll()
    expect(pendingOf(outbox)).toBe(0)
    expect(new Set(server.received.map(call => call.options!.id)).size).toBe(1)
  })

  test('the latest unacknowledged position of a playlist can be read', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { outbox } = browser.open({ api: server.api })
    outbox.add(progress('v0', 12))
    outbox.add(progress('v1', 4))
    expect(await readUnsentProgress(outbox, 'p1')).toEqual(progress('v1', 4).body)
    expect(await readUnsentProgress(outbox, 'other')).toBeUndefined()
  })

  test('without a database it still sends', async () => {
    const server = createServer()
    const { outbox } = browser.open({ api: server.api, storage: noStorage })
    outbox.add(report())
    await settleAll()
    expect(server.calls()).toEqual(['track'])
    expect(pendingOf(outbox)).toBe(0)
  })

  test('a database that refuses to open is replaced by memory', async () => {
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

  test('a call that cannot be stored is sent at once', async () => {
    const server = createServer()
    const storage = { ...noStorage, add: () => Promise.reject(new Error('quota')) }
    const { outbox } = browser.open({ api: server.api, storage })
    outbox.add(report())
    await settleAll()
    expect(server.calls()).toEqual(['track'])
  })
})

/** Stores calls in the form of version 1 of the page. */
async function storeAsEarlierVersion(...calls: object[]) {
  const database = await openDB('watchline-journal', 1, {
    upgrade(created) {
      created.createObjectStore('calls', { keyPath: 'order', autoIncrement: true }).createIndex('person', 'person')
    },
  })
  for (const call of calls) await database.add('calls', call)
  database.close()
}

describe('calls stored by an earlier version', () => {
  test('is sent, in order and with the ids it had', async () => {
    const calls = [report('play'), report('playing'), progress('v0', 12)].map((call, index) => ({
      ...call,
      id: `00000000-0000-4000-8000-aaaaaaaaaaa${index}`,
      person: 'trainee1',
      at: 1_000_000 + index,
    }))
    browser.use()
    await storeAsEarlierVersion(...calls, { ...report(), id: 'not mine', person: 'trainee2', at: 1 })
    const server = createServer()
    const { outbox } = browser.open({ api: server.api })
    await settleAll()
    expect(server.received.filter(({ call }) => call === 'track').map(({ body }) => body)).toEqual(
      calls.slice(0, 2).map(({ body }) => body),
    )
    expect(new Set(server.received.map(({ options }) => options!.id))).toEqual(new Set(calls.map(({ id }) => id)))
    expect(pendingOf(outbox)).toBe(0)
    expect(await createDatabaseStorage('trainee1', () => {}).read()).toEqual([])
  })

  test('is sent also if it is a comment among the reports', async () => {
    const body = { playlist_id: 'p1', video_id: 'v0', timestamp: 7, comment: 'Mind the step', client_id: 'c1' }
    browser.use()
    await storeAsEarlierVersion({ kind: 'comment', body, id: 'c1', person: 'trainee1', at: 1 })
    const server = createServer()
    browser.open({ api: server.api })
    await settleAll()
    expect(server.received.map(({ call, body, options }) => [call, body, options!.id])).toEqual([
      ['comment', body, 'c1'],
    ])
  })
})
