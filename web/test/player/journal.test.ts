import './_immediate.ts'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { createServer, elsewhere, no, settleAll, yes } from './_answers.ts'
import { createBrowser, gate, progress, report, started, stopped } from './_journal.ts'

let browser = createBrowser()
beforeEach(() => {
  browser = createBrowser()
})

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
