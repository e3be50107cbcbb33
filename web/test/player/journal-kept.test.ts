import './_immediate.ts'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { IDBFactory } from 'fake-indexeddb'
import { createMemoryStore, openJournalStore } from '../../src/features/player/journal-store.ts'
import { createServer, no, settleAll, yes } from './_answers.ts'
import { createBrowser, gate, kindAndTime, played, progress, report, stopped } from './_journal.ts'

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

describe('reports of an unbroken play without a network', () => {
  async function offline(steps: readonly ReturnType<typeof played>[]) {
    const server = createServer()
    const { journal } = browser.open({ api: server.api })
    journal.add(played('play', 0))
    await settleAll()
    journal.hold(true)
    for (const step of steps) journal.add(step)
    server.heard.length = 0
    journal.hold(false)
    await journal.flush()
    return server.heard.map(kindAndTime)
  }
  const every10 = (to: number) =>
    Array.from({ length: Math.floor(to / 10) }, (_, index) => played('playing', (index + 1) * 10))

  test('become one, up to the latest', async () => {
    expect(await offline(every10(60))).toEqual(['playing 60'])
  })

  test('also with the pause that ends it', async () => {
    expect(await offline([...every10(60), played('pause', 63)])).toEqual(['pause 63'])
  })

  test('become steps that the server still believes: each under 300 s', async () => {
    const sent = await offline([...every10(1_000), played('ended', 1_004)])
    const times = [0, ...sent.map(each => Number(each.split(' ')[1]))]
    expect(times.at(-1)).toBe(1_004)
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).toBeLessThan(300)
    expect(sent).toHaveLength(4)
  })

  test('stay apart across a jump, another rate and another play', async () => {
    expect(await offline([played('playing', 10), played('playing', 40, 20)])).toEqual(['playing 10', 'playing 40'])
    expect(await offline([played('playing', 10), played('playing', 30, 20, 2)])).toEqual(['playing 10', 'playing 30'])
    expect(
      await offline([played('playing', 10), played('pause', 12), played('play', 50, 20), played('playing', 60, 30)]),
    ).toEqual(['pause 12', 'play 50', 'playing 60'])
  })

  test('leave alone what is under way', async () => {
    const server = createServer()
    const first = gate()
    const { journal } = browser.open({ api: server.api })
    journal.add(played('play', 0))
    await settleAll()
    server.answerWith((_call, body) => ((body as { watch_time: number }).watch_time === 10 ? first.answer : yes))
    journal.add(played('playing', 10))
    await settleAll()
    journal.add(played('playing', 20))
    journal.add(played('playing', 30))
    first.open(yes)
    await settleAll()
    expect(server.heard.map(kindAndTime)).toEqual(['play 0', 'playing 10', 'playing 30'])
  })
})

describe('comments', () => {
  const comment = (text: string) =>
    ({
      kind: 'comment',
      body: { playlist_id: 'p1', video_id: 'v0', timestamp: 7, comment: text, client_id: crypto.randomUUID() },
    }) as const

  test('made without a network are listed, survive a reload, and arrive once, in order', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    const before = browser.open({ api: down.api }).journal
    const made = ['one', 'two', 'three'].map(comment)
    for (const each of made) before.add(each)
    await settleAll()
    before.close()

    const server = createServer()
    const { journal } = browser.open({ api: server.api })
    const listed = new Set<number>()
    journal.waiting.subscribe(() => listed.add(journal.waiting.get().length))
    await settleAll()
    expect(server.heard.map(each => each.body)).toEqual(made.map(each => each.body))
    expect(server.heard.map(each => each.options!.id)).toEqual(made.map(each => each.body.client_id))
    expect(listed.has(0)).toBe(true)
    expect(journal.waiting.get()).toEqual([])
  })

  test('are told of when the server took or refused them', async () => {
    const server = createServer()
    let status = 200
    server.answerWith(() => (status === 200 ? yes : no(status)))
    const { journal } = browser.open({
      api: server.api,
      tryAgain: (_call, answer, before) => answer.status === 0 || (before && answer.status >= 500),
    })
    const told: [string, boolean][] = []
    journal.onAnswered((call, answer) => told.push([(call.body as { comment: string }).comment, answer.ok]))
    journal.add(comment('fine'))
    await settleAll()
    status = 503
    journal.add(comment('refused at once'))
    await settleAll()
    expect(told).toEqual([
      ['fine', true],
      ['refused at once', false],
    ])
    status = 0
    journal.add(comment('waited'))
    await settleAll()
    status = 503
    await journal.flush()
    await settleAll()
    expect(told).toHaveLength(2)
    expect(journal.waiting.get()).toHaveLength(1)
    status = 200
    await journal.flush()
    expect(told.at(-1)).toEqual(['waited', true])
  })
})

describe('nothing is lost', () => {
  test('what was unsent survives a reload and is sent in order', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    const before = browser.open({ api: down.api }).journal
    const bodies = [report('play'), report('playing'), report('pause')]
    for (const call of bodies) before.add(call)
    await settleAll()
    before.close()

    const server = createServer()
    const { journal } = browser.open({ api: server.api })
    await settleAll()
    expect(server.heard.map(each => each.body)).toEqual(bodies.map(call => call.body))
    expect(journal.status.get().pending).toBe(0)
  })

  test('another person on the same browser never sends it', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    browser.open({ api: down.api }).journal.add(report())
    await settleAll()

    const server = createServer()
    const other = browser.open({ api: server.api, personId: 'trainee2' }).journal
    await settleAll()
    await other.flush()
    expect(server.heard).toEqual([])
    expect(other.status.get().pending).toBe(0)
  })

  test('two tabs do not send a call twice', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    const before = browser.open({ api: down.api }).journal
    for (let call = 0; call < 10; call += 1) before.add(report())
    await settleAll()
    before.close()

    const server = createServer()
    const tabs = [browser.open({ api: server.api }), browser.open({ api: server.api })]
    await Promise.all(tabs.map(tab => tab.journal.flush()))
    await settleAll()
    const ids = server.heard.map(each => each.options!.id)
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(10)
  })

  test('a release that comes too late to matter is not sent', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { journal, timers } = browser.open({ api: server.api })
    journal.add(stopped)
    await timers.pass(6 * 60_000)
    server.heard.length = 0
    server.answerWith(() => yes)
    await journal.flush()
    expect(server.heard).toEqual([])
    expect(journal.status.get().pending).toBe(0)
  })

  test('on hiding, everything unsent goes out at once and outlives the page', async () => {
    const server = createServer()
    const first = gate()
    server.answerWith((_call, _body, options) => (options?.keepalive ? yes : first.answer))
    const { journal } = browser.open({ api: server.api })
    journal.add(report())
    await settleAll()
    journal.add(progress('v0', 9))
    journal.add(stopped)
    journal.sendOnHide()
    // Before anything asynchronous had a chance: the page may be gone after this turn.
    const sent = server.heard.filter(each => each.options?.keepalive).map(each => each.call)
    expect(sent).toEqual(['track', 'save-progress', 'monitoring'])
    await settleAll()
    first.open(yes)
    await settleAll()
    expect(journal.status.get().pending).toBe(0)
    expect(server.heard).toHaveLength(4)
  })

  test('on hiding, reports keep their order: the next goes when the one before it has arrived', async () => {
    const server = createServer()
    const first = gate()
    server.answerWith(call => (call === 'track' && server.heard.length === 1 ? first.answer : yes))
    const { journal } = browser.open({ api: server.api, online: true })
    journal.hold(true)
    journal.add(played('play', 0))
    journal.add(played('pause', 4))
    journal.sendOnHide()
    expect(server.heard.map(kindAndTime)).toEqual(['play 0'])
    await settleAll()
    expect(server.heard).toHaveLength(1)
    first.open(yes)
    await settleAll()
    expect(server.heard.map(kindAndTime)).toEqual(['play 0', 'pause 4'])
    expect(server.heard.every(each => each.options?.keepalive)).toBe(true)
    journal.hold(false)
    await settleAll()
    expect(server.heard).toHaveLength(2)
    expect(journal.status.get().pending).toBe(0)
  })

  test('on hiding, what follows a report that did not arrive waits', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { journal } = browser.open({ api: server.api })
    journal.hold(true)
    journal.add(played('play', 0))
    journal.add(played('pause', 4))
    journal.sendOnHide()
    await settleAll()
    expect(server.heard.map(kindAndTime)).toEqual(['play 0'])
    server.answerWith(() => yes)
    journal.hold(false)
    await settleAll()
    expect(server.heard.map(kindAndTime)).toEqual(['play 0', 'play 0', 'pause 4'])
  })

  test('on hiding, giving the lock back says the position; if that fails both are kept', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { journal } = browser.open({ api: server.api })
    journal.hold(true)
    journal.add(progress('v0', 9))
    journal.add({ ...stopped, body: { ...stopped.body, video_progress: 9 } })
    journal.sendOnHide()
    await settleAll()
    expect(server.calls()).toEqual(['monitoring'])
    expect(journal.status.get().pending).toBe(2)
    server.answerWith(() => yes)
    journal.sendOnHide()
    await settleAll()
    expect(server.calls()).toEqual(['monitoring', 'monitoring'])
    expect(journal.status.get().pending).toBe(0)
  })

  test('what did not arrive on hiding is sent again', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { journal } = browser.open({ api: server.api })
    journal.add(report())
    journal.sendOnHide()
    await settleAll()
    server.answerWith(() => yes)
    await journal.flush()
    await settleAll()
    expect(journal.status.get().pending).toBe(0)
    expect(new Set(server.heard.map(each => each.options!.id)).size).toBe(1)
  })

  test('the latest unacknowledged position of a playlist can be asked for', async () => {
    const server = createServer()
    server.answerWith(() => no(0))
    const { journal } = browser.open({ api: server.api })
    journal.add(progress('v0', 12))
    journal.add(progress('v1', 4))
    expect(await journal.unsentProgress('p1')).toEqual(progress('v1', 4).body)
    expect(await journal.unsentProgress('other')).toBeUndefined()
  })

  test('without a database it still sends', async () => {
    const server = createServer()
    const { journal } = browser.open({ api: server.api, store: Promise.resolve(createMemoryStore()) })
    journal.add(report())
    await settleAll()
    expect(server.calls()).toEqual(['track'])
    expect(journal.status.get().pending).toBe(0)
  })

  test('a database that refuses to open is replaced by memory', async () => {
    globalThis.indexedDB = {
      open() {
        throw new DOMException('no', 'SecurityError')
      },
    } as unknown as IDBFactory
    const logged: string[] = []
    const store = await openJournalStore(message => logged.push(message))
    expect(await store.all('trainee1')).toEqual([])
    expect(logged).toHaveLength(1)
  })

  test('a call that cannot be stored is sent at once', async () => {
    const server = createServer()
    const store = { ...createMemoryStore(), add: () => Promise.reject(new Error('quota')) }
    const { journal } = browser.open({ api: server.api, store: Promise.resolve(store) })
    journal.add(report())
    await settleAll()
    expect(server.calls()).toEqual(['track'])
  })
})
