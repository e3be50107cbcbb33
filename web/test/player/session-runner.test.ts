import { describe, expect, test } from '@jest/globals'
import { createPlayerOutbox } from '../../src/features/player/outbox/player-outbox.ts'
import { createSessionRunner, type RunnerOptions } from '../../src/features/player/session/session-runner.ts'
import type { SessionPlaylist } from '../../src/features/player/session-playlist.ts'
import { createServer, createTimers, elsewhere, no, settleAll, yes } from './_answers.ts'
import { createFakeAdapters } from './_fake-adapter.ts'
import { noStorage, pendingOf } from './_outbox.ts'
import { playlistOf, statusOf } from './_session-driver.ts'

const nothingToResume = { ...yes, data: statusOf({ can_resume: false }) as never }

const earlierReport = {
  kind: 'track',
  body: {
    video_id: 'v0',
    playlist_id: 'p1',
    watch_time: 5,
    event_type: 'pause',
    event_id: '00000000-0000-4000-8000-00000000beef',
    playback_rate: 1,
    client_time: '2026-01-01T00:00:00.000Z',
  },
} as const

function createSession(playlist: SessionPlaylist = playlistOf(2), options: Partial<RunnerOptions> = {}) {
  const server = createServer()
  server.answerWith(call => (call === 'session-status' ? nothingToResume : yes))
  const timers = createTimers()
  const adapters = createFakeAdapters()
  const outbox = createPlayerOutbox({
    personId: 'trainee1',
    api: server.api,
    storage: noStorage,
    now: timers.now,
    schedule: timers.schedule,
    random: () => 1,
    log: () => {},
  })
  const memory = new Map<string, string>()
  const runner = createSessionRunner({
    playlist,
    api: server.api,
    outbox,
    createAdapter: adapters.create,
    tabMemory: {
      getItem: key => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
      removeItem: key => void memory.delete(key),
    },
    now: timers.now,
    schedule: timers.schedule,
    random: () => 0.5,
    log: () => {},
    ...options,
  })
  return {
    server,
    timers,
    adapters,
    outbox,
    runner,
    memory,
    async toPlaying() {
      runner.start()
      await settleAll()
      adapters.last.emit('cued')
      await settleAll()
      adapters.last.emit('playing')
      await settleAll()
    },
    /** The provider plays along with the clock. */
    async playFor(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        adapters.last.at += 1
        await timers.pass(1_000)
      }
    },
    bodies: (name: string) => server.received.filter(({ call }) => call === name).map(({ body }) => body),
  }
}

describe('a monitored session against the server', () => {
  test('sends the reports of the specification at their times', async () => {
    const session = createSession()
    await session.toPlaying()
    expect(session.adapters.last.calls).toEqual(['load v0@0', 'play'])
    await session.playFor(31)
    session.runner.send({ type: 'toggle' })
    await settleAll()
    expect(session.bodies('monitoring')).toEqual([
      {
        is_monitoring: true,
        playlist_id: 'p1',
        current_video_id: 'v0',
        current_video_index: 0,
        video_progress: 0,
      },
      {
        is_monitoring: false,
        playlist_id: 'p1',
        current_video_id: 'v0',
        current_video_index: 0,
        video_progress: 31,
      },
    ])
    expect(session.bodies('save-progress').at(-1)).toEqual({
      playlist_id: 'p1',
      video_id: 'v0',
      video_index: 0,
      progress: 31,
    })
    expect(session.bodies('save-progress')).toHaveLength(4)
    expect(session.bodies('heartbeat')).toHaveLength(1)
    const reports = session.bodies('track') as { event_type: string; watch_time: number; event_id: string }[]
    expect(reports.map(({ event_type, watch_time }) => [event_type, watch_time])).toEqual([
      ['play', 0],
      ['playing', 10],
      ['playing', 20],
      ['playing', 30],
      ['pause', 31],
    ])
    expect(new Set(reports.map(({ event_id }) => event_id)).size).toBe(5)
    expect(reports[0]).toMatchObject({ video_id: 'v0', playlist_id: 'p1', playback_rate: 1 })
    expect(session.timers.waits()).toEqual([])
  })

  test('the picture only moves once the lock is answered', async () => {
    const session = createSession()
    let answer = (_value: typeof yes) => {}
    session.server.answerWith(call =>
      call === 'session-status'
        ? nothingToResume
        : new Promise(resolve => {
            answer = resolve
          }),
    )
    session.runner.start()
    await settleAll()
    session.adapters.last.emit('cued')
    await settleAll()
    expect(session.adapters.last.calls).not.toContain('play')
    answer(yes)
    await settleAll()
    expect(session.adapters.last.calls).toContain('play')
  })

  test('a heartbeat refused without the lock pauses, and Continue here takes over', async () => {
    const session = createSession()
    await session.toPlaying()
    session.server.answerWith((call, body) => {
      if (call === 'session-status') return nothingToResume
      return (body as { take_over?: boolean } | undefined)?.take_over ? yes : elsewhere
    })
    await session.playFor(30)
    expect(session.runner.view.get().phase).toBe('elsewhere')
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    session.runner.send({ type: 'continue-here' })
    await settleAll()
    expect(session.bodies('monitoring')).toContainEqual(expect.objectContaining({ take_over: true }))
    expect(session.bodies('session-status')).toHaveLength(2)
  })

  test('a heartbeat refused after the assignment was withdrawn ends the session, and no further call is sent', async () => {
    const session = createSession()
    await session.toPlaying()
    session.server.answerWith(call => {
      if (call === 'session-status') return nothingToResume
      return call === 'monitoring' ? no(404, { code: 'not_found' }) : elsewhere
    })
    await session.playFor(30)
    expect(session.runner.view.get().phase).toBe('unassigned')
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    const callCount = session.bodies('monitoring').length
    session.adapters.last.emit('playing')
    session.runner.send({ type: 'toggle' })
    session.runner.send({ type: 'try-again' })
    await session.timers.pass(120_000)
    expect(session.bodies('monitoring')).toHaveLength(callCount)
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
  })

  test('a failing session check plays from the start', async () => {
    const session = createSession()
    session.server.answerWith(call => (call === 'session-status' ? no(500) : yes))
    await session.toPlaying()
    expect(session.adapters.last.calls).toEqual(['load v0@0', 'play'])
  })

  test('an unavailable server is called again until it answers', async () => {
    const session = createSession()
    let away = true
    session.server.answerWith(call => (call === 'session-status' ? nothingToResume : away ? no(503) : yes))
    session.runner.start()
    await settleAll()
    session.adapters.last.emit('cued')
    await session.timers.pass(2_000)
    expect(session.adapters.last.calls).not.toContain('play')
    expect(session.runner.view.get().note).toBe('waiting-for-server')
    away = false
    await session.timers.pass(10_000)
    expect(session.adapters.last.calls).toContain('play')
  })

  test('a position the server does not know yet wins over the one it knows', async () => {
    const session = createSession()
    session.server.answerWith(call => {
      if (call === 'session-status')
        return { ...yes, data: statusOf({ current_video_index: 0, video_progress: 3 }) as never }
      return call === 'save-progress' ? no(503) : yes
    })
    session.outbox.add({
      kind: 'save-progress',
      body: { playlist_id: 'p1', video_id: 'v1', video_index: 1, progress: 20 },
    })
    session.runner.start()
    await session.timers.pass(4_000)
    expect(session.adapters.last.calls).toEqual(['load v1@20'])
  })

  test('positions beyond the length the server knows are clipped', async () => {
    const session = createSession()
    await session.toPlaying()
    session.adapters.last.at = 60.9
    session.adapters.last.emit('ended')
    await settleAll()
    expect(session.bodies('save-progress').at(-1)).toMatchObject({ progress: 60 })
  })

  test('reloading a tab that was playing lets it play on', async () => {
    const session = createSession()
    await session.toPlaying()
    session.runner.send({ type: 'hidden' })
    expect(session.memory.size).toBe(1)
    const again = createSession(playlistOf(2), {
      tabMemory: { getItem: key => session.memory.get(key) ?? null, setItem: () => {}, removeItem: () => {} },
    })
    again.server.answerWith(call =>
      call === 'session-status' ? { ...yes, data: statusOf({ is_monitoring: false }) as never } : yes,
    )
    again.runner.start()
    await settleAll()
    again.adapters.last.emit('cued')
    await settleAll()
    expect(again.adapters.last.calls).toContain('play')
    session.runner.send({ type: 'visible' })
    expect(session.memory.size).toBe(0)
  })

  test('videos of both providers follow each other, each in its own player', async () => {
    const [file] = playlistOf(1, 'file').videos
    const session = createSession({ ...playlistOf(2), videos: [file!, playlistOf(2).videos[1]!] })
    await session.toPlaying()
    session.runner.send({ type: 'skip' })
    expect(session.adapters.created.map(adapter => adapter.provider)).toEqual(['file', 'youtube'])
    expect(session.adapters.created[0]!.calls.at(-1)).toBe('destroy')
  })

  test('a tick moves the clock and leaves the rest of the screen alone', async () => {
    const session = createSession()
    await session.toPlaying()
    let drawn = 0
    let ticked = 0
    session.runner.view.subscribe(() => drawn++)
    session.runner.clock.subscribe(() => ticked++)
    await session.playFor(5)
    expect(drawn).toBe(0)
    expect(ticked).toBeGreaterThanOrEqual(5)
  })

  test('leaving sends the unsent calls by requests that outlive the page, and stops every timer', async () => {
    const session = createSession()
    await session.toPlaying()
    await session.playFor(3)
    session.server.received.length = 0
    session.runner.send({ type: 'leave' })
    const keepaliveCalls = session.server.received.filter(call => call.options?.keepalive).map(call => call.call)
    expect(keepaliveCalls).toEqual(['track', 'monitoring'])
    await settleAll()
    expect(session.timers.waits()).toEqual([])
    expect(session.adapters.last.calls.at(-1)).toBe('destroy')
    expect(pendingOf(session.outbox)).toBe(0)
  })

  test('calls of an earlier visit are sent after the lock’s answer, not before', async () => {
    const session = createSession()
    let answer = (_value: typeof yes) => {}
    session.server.answerWith(call => {
      if (call === 'session-status') return nothingToResume
      return call === 'monitoring' ? new Promise(resolve => (answer = resolve)) : yes
    })
    session.outbox.add(earlierReport)
    session.runner.start()
    await settleAll()
    expect(session.server.calls()).toEqual(['session-status', 'monitoring'])
    answer(yes)
    await settleAll()
    expect(session.server.calls()).toEqual(['session-status', 'monitoring', 'track'])
  })

  test('a session that resumes paused sends the calls of an earlier visit without requesting the lock', async () => {
    const session = createSession()
    session.server.answerWith(call =>
      call === 'session-status' ? { ...yes, data: statusOf({ is_monitoring: false }) as never } : yes,
    )
    session.outbox.add(earlierReport)
    session.runner.start()
    await settleAll()
    expect(session.server.calls()).toEqual(['session-status', 'track'])
  })

  test('back online, the lock is confirmed before the reports of the time without are sent', async () => {
    const session = createSession()
    await session.toPlaying()
    session.server.answerWith(() => no(0))
    await session.playFor(12)
    session.server.received.length = 0
    let answerHeartbeat = (_value: typeof yes) => {}
    session.server.answerWith(call =>
      call === 'heartbeat' ? new Promise(resolve => (answerHeartbeat = resolve)) : yes,
    )
    session.runner.send({ type: 'online' })
    void session.outbox.flush()
    await settleAll()
    expect(session.server.calls()).toEqual(['heartbeat'])
    answerHeartbeat(yes)
    await settleAll()
    expect(session.bodies('track')).toHaveLength(1)
  })

  test('a pause, a jump and a skip report where the video stands at that moment', async () => {
    const session = createSession()
    await session.toPlaying()
    await session.playFor(3)
    session.adapters.last.at = 3.6
    session.runner.send({ type: 'seek', to: 20 })
    await settleAll()
    expect(session.bodies('track').at(-1)).toMatchObject({ event_type: 'pause', watch_time: 3.6 })
    await session.timers.pass(500)
    session.adapters.last.emit('playing')
    await session.playFor(2)
    session.adapters.last.at = 22.7
    session.runner.send({ type: 'skip' })
    await settleAll()
    expect(session.bodies('track').at(-1)).toMatchObject({ event_type: 'pause', watch_time: 22.7 })
  })

  test('a video that stops at its end without saying so is reported as ended there', async () => {
    const session = createSession()
    await session.toPlaying()
    session.adapters.last.at = 59.8
    await session.timers.pass(6_000)
    expect(session.bodies('track').at(-1)).toMatchObject({ event_type: 'ended', watch_time: 59.8 })
  })

  test('no report says hidden, because hiding pauses', async () => {
    const session = createSession()
    await session.toPlaying()
    await session.playFor(12)
    session.runner.send({ type: 'hidden' })
    await session.timers.pass(12_000)
    for (const body of session.bodies('track')) expect(body).not.toHaveProperty('hidden')
  })

  test('an unavailable video is reported once, and the session goes on', async () => {
    const session = createSession(playlistOf(3))
    await session.toPlaying()
    session.server.answerWith(call => (call === 'report-unavailable' ? no(503) : yes))
    const error = { type: 'error', code: 150, unavailable: true, network: false, reason: 'Not here.' } as const
    session.adapters.last.emit(error)
    session.adapters.last.emit(error)
    await settleAll()
    expect(session.bodies('report-unavailable')).toEqual([{ playlistId: 'p1', videoId: 'v0', code: 150 }])
    expect(session.runner.view.get()).toMatchObject({ phase: 'countdown', unavailable: ['v0'] })
    await session.timers.pass(4_000)
    session.adapters.last.emit({ ...error, code: 101 })
    await settleAll()
    expect(session.bodies('report-unavailable').slice(1)).toEqual([{ playlistId: 'p1', videoId: 'v1', code: 101 }])
  })

  test('after a hint that the lock may be lost, it checks at once, and pauses only if it is lost', async () => {
    const session = createSession()
    await session.toPlaying()
    await session.playFor(2)
    session.server.received.length = 0
    session.runner.confirmLock()
    session.runner.confirmLock()
    await settleAll()
    expect(session.server.calls()).toEqual(['heartbeat'])
    expect(session.runner.view.get().phase).toBe('playing')
    session.server.answerWith(() => elsewhere)
    session.runner.confirmLock()
    await settleAll()
    expect(session.runner.view.get().phase).toBe('elsewhere')
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    session.server.received.length = 0
    session.runner.confirmLock()
    await settleAll()
    expect(session.server.calls()).toEqual([])
  })
})
