import './_immediate.ts'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { IDBFactory } from 'fake-indexeddb'
import { createJournal, type JournalOptions } from '../../src/features/player/journal.ts'
import { createMemoryStore, openJournalStore } from '../../src/features/player/journal-store.ts'
import type { Answer } from '../../src/features/player/player-api.ts'
import { createServer, createTimers, elsewhere, no, settleAll, yes } from './_answers.ts'

const progress = (videoId: string, seconds: number) =>
  ({
    kind: 'save-progress',
    body: { playlist_id: 'p1', video_id: videoId, video_index: 0, progress: seconds },
  }) as const
const place = { playlist_id: 'p1', current_video_id: 'v0', current_video_index: 0, video_progress: 0 }
const stopped = { kind: 'monitoring', body: { is_monitoring: false, ...place } } as const
const started = { is_monitoring: true, ...place }
let reports = 0
const report = (event: 'play' | 'pause' | 'playing' = 'playing') => {
  reports += 1
  const id = `00000000-0000-4000-8000-${String(reports).padStart(12, '0')}`
  return {
    kind: 'track',
    body: {
      video_id: 'v0',
      playlist_id: 'p1',
      watch_time: reports,
      event_type: event,
      event_id: id,
      playback_rate: 1,
      client_time: '2026-01-01T00:00:00.000Z',
    },
  } as const
}

/** A report of one play; `at` (s) is when it was made, as a rule after as long as was played. */
const played = (event: 'play' | 'playing' | 'pause' | 'ended', watchTime: number, at = watchTime, rate = 1) => {
  const { body } = report()
  const client_time = new Date(1_800_000_000_000 + at * 1_000).toISOString()
  return {
    kind: 'track',
    body: { ...body, event_type: event, watch_time: watchTime, client_time, playback_rate: rate },
  } as const
}
const kindAndTime = ({ body }: { body: unknown }) => {
  const { event_type, watch_time } = body as { event_type: string; watch_time: number }
  return `${event_type} ${watch_time}`
}

/** One browser: its database and locks are shared by the journals (tabs, reloads) opened in it. */
function createBrowser() {
  const factory = new IDBFactory()
  const lines = new Map<string, Promise<unknown>>()
  const locks = {
    request(name: string, run: () => Promise<unknown>) {
      const turn = (lines.get(name) ?? Promise.resolve()).then(run)
      lines.set(
        name,
        turn.catch(() => {}),
      )
      return turn
    },
  } as unknown as NonNullable<JournalOptions['locks']>
  return {
    open(options: Partial<JournalOptions> & Pick<JournalOptions, 'api'>) {
      globalThis.indexedDB = factory
      const timers = createTimers()
      const logged: string[] = []
      const journal = createJournal({
        personId: 'trainee1',
        locks,
        now: timers.now,
        random: () => 1,
        schedule: timers.schedule,
        log: message => logged.push(message),
        store: openJournalStore(() => {}),
        ...options,
      })
      return { journal, timers, logged }
    },
  }
}

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

const gate = () => {
  let open = (_answer: Answer<never>) => {}
  const answer = new Promise<Answer<never>>(resolve => {
    open = resolve
  })
  return { answer, open }
}

describe('sending', () => {
  test('calls go one at a time, in order, and are forgotten when answered', async () => {
    const server = createServer()
    const first = gate()
    server.answerWith(call => (call === 'save-progress' ? first.answer : yes))
    const { journal } = browser.open({ api: server.api })
    journal.add(progress('v0', 1))
    journal.add(report())
    journal.add(stopped)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress'])
    expect(journal.status.get().pending).toBe(2)
    first.open(yes)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress', 'monitoring'])
    expect(journal.status.get()).toEqual({ pending: 0, online: true })
  })

  test('each call carries its id, the same at every repetition', async () => {
    const server = createServer()
    let fails = 1
    server.answerWith(() => (fails-- > 0 ? no(503) : yes))
    const { journal, timers } = browser.open({ api: server.api })
    journal.add(report())
    await timers.pass(5_000)
    expect(server.heard).toHaveLength(2)
    expect(server.heard[0]!.options!.id).toBe(server.heard[1]!.options!.id)
    expect(server.heard[0]!.options!.id).toBe((server.heard[0]!.body as { event_id: string }).event_id)
  })

  test('a newer position of the same video takes the place of an unsent older one', async () => {
    const server = createServer()
    const first = gate()
    server.answerWith(() => (server.heard.length === 1 ? first.answer : yes))
    const { journal } = browser.open({ api: server.api })
    journal.add(report())
    await settleAll()
    journal.add(progress('v0', 1))
    journal.add(progress('v1', 2))
    journal.add(progress('v0', 3))
    first.open(yes)
    await settleAll()
    const saved = server.heard.filter(each => each.call === 'save-progress').map(each => each.body)
    expect(saved).toEqual([progress('v1', 2).body, progress('v0', 3).body])
  })
})

test('only the latest word on monitoring is kept', async () => {
  const server = createServer()
  server.answerWith(() => no(0))
  const { journal } = browser.open({ api: server.api })
  journal.add(report())
  await settleAll()
  journal.add(stopped)
  journal.add({ ...stopped, body: { ...stopped.body, video_progress: 9 } })
  await settleAll()
  server.answerWith(() => yes)
  server.heard.length = 0
  await journal.flush()
  expect(server.heard.filter(each => each.call === 'monitoring').map(each => each.body)).toEqual([
    { ...stopped.body, video_progress: 9 },
  ])
})

describe('when the server does not answer', () => {
  test('a service that is away keeps only its own calls waiting', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'track' ? no(503) : yes))
    const { journal } = browser.open({ api: server.api })
    journal.add(report('play'))
    journal.add(progress('v0', 1))
    journal.add(report('pause'))
    journal.add(stopped)
    await settleAll()
    expect(server.calls().filter(call => call !== 'track')).toEqual(['save-progress', 'monitoring'])
    expect(server.calls().filter(call => call === 'track')).toHaveLength(1)
    expect(journal.status.get()).toEqual({ pending: 2, online: true })
  })

  test('a report without an answer does not keep the lock waiting', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'track' ? gate().answer : yes))
    const { journal } = browser.open({ api: server.api })
    journal.add(report('play'))
    await settleAll()
    expect(await journal.ask(started)).toEqual(yes)
  })

  test('the order holds, waits grow and are bounded, and everything arrives in the end', async () => {
    const server = createServer()
    let down = true
    server.answerWith(() => (down ? no(0) : yes))
    const { journal, timers } = browser.open({ api: server.api })
    journal.add(report('play'))
    journal.add(report('pause'))
    const waits: number[] = []
    for (let tries = 0; tries < 9; tries += 1) {
      await settleAll()
      waits.push(timers.waits()[0]!)
      await timers.pass(waits.at(-1)!)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000])
    expect(journal.status.get()).toEqual({ pending: 2, online: false })
    expect(new Set(server.heard.map(each => (each.body as { event_type: string }).event_type))).toEqual(
      new Set(['play']),
    )
    down = false
    server.heard.length = 0
    await journal.flush()
    expect(server.heard.map(each => (each.body as { event_type: string }).event_type)).toEqual(['play', 'pause'])
    expect(journal.status.get()).toEqual({ pending: 0, online: true })
  })

  test('Retry-After is kept, also when more is added meanwhile', async () => {
    const server = createServer()
    server.answerWith(() => no(503, { retryAfter: 20 }))
    const { journal, timers } = browser.open({ api: server.api })
    journal.add(report())
    await settleAll()
    journal.add(report())
    await timers.pass(19_000)
    expect(server.heard).toHaveLength(1)
    await timers.pass(1_000)
    expect(server.heard).toHaveLength(2)
  })

  test('a request that never ends counts as none', async () => {
    const server = createServer()
    server.answerWith(() => (server.heard.length === 1 ? gate().answer : yes))
    const { journal, timers } = browser.open({ api: server.api })
    journal.add(report())
    await timers.pass(29_000)
    expect(server.heard).toHaveLength(1)
    await timers.pass(3_000)
    expect(server.heard).toHaveLength(2)
    expect(server.heard[0]!.options!.signal!.aborted).toBe(true)
    expect(journal.status.get().pending).toBe(0)
  })

  test('being signed out keeps everything for later', async () => {
    const server = createServer()
    server.answerWith(() => no(401, { code: 'no_session' }))
    const { journal } = browser.open({ api: server.api })
    journal.add(report())
    await settleAll()
    expect(journal.status.get().pending).toBe(1)
  })
})

describe('what the server refuses', () => {
  test('is logged and dropped, and the next call goes on', async () => {
    const server = createServer()
    server.answerWith(() => (server.heard.length === 1 ? no(422, { code: 'invalid' }) : yes))
    const { journal, logged } = browser.open({ api: server.api })
    journal.add(report('play'))
    journal.add(report('pause'))
    await settleAll()
    expect(server.heard.map(each => (each.body as { event_type: string }).event_type)).toEqual(['play', 'pause'])
    expect(journal.status.get().pending).toBe(0)
    expect(logged).toEqual(['the server refused a call (422 invalid)'])
  })

  test('monitoring elsewhere is told to whoever listens; another conflict is not', async () => {
    const server = createServer()
    server.answerWith(call => (call === 'save-progress' ? elsewhere : no(409, { code: 'conflict' })))
    const { journal } = browser.open({ api: server.api })
    const told: string[] = []
    journal.onConflict(call => told.push(call.kind))
    journal.add(report())
    journal.add(progress('v0', 1))
    await settleAll()
    expect(told).toEqual(['save-progress'])
  })
})

describe('asking for the lock', () => {
  test('goes ahead of what waits and takes the place of an unsent release', async () => {
    const server = createServer()
    let down = true
    server.answerWith(() => (down ? no(0) : yes))
    const { journal } = browser.open({ api: server.api })
    journal.add(progress('v0', 1))
    journal.add(stopped)
    await settleAll()
    down = false
    server.heard.length = 0
    expect(await journal.ask(started)).toEqual(yes)
    await settleAll()
    expect(server.heard.map(each => [each.call, (each.body as { is_monitoring?: boolean }).is_monitoring])).toEqual([
      ['monitoring', true],
      ['save-progress', undefined],
    ])
  })

  test('waits for a release that is under way', async () => {
    const server = createServer()
    const release = gate()
    server.answerWith((_call, body) => ((body as { is_monitoring: boolean }).is_monitoring ? yes : release.answer))
    const { journal } = browser.open({ api: server.api })
    journal.add(stopped)
    await settleAll()
    const asked = journal.ask(started)
    await settleAll()
    expect(server.heard).toHaveLength(1)
    release.open(yes)
    await asked
    expect(server.heard).toHaveLength(2)
  })

  test('is answered with what the server said and never repeated', async () => {
    const server = createServer()
    server.answerWith(() => elsewhere)
    const { journal, timers } = browser.open({ api: server.api })
    expect(await journal.ask(started)).toEqual(elsewhere)
    await timers.pass(120_000)
    expect(server.heard).toHaveLength(1)
  })
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
