import { describe, expect, jest, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { secondsSinceUse } from '../../src/api/idle-time.ts'
import { createPlayerOutbox } from '../../src/features/player/outbox/player-outbox.ts'
import { saveProgressCall } from '../../src/features/player/session/session-calls.ts'
import { createSessionRunner, type RunnerOptions } from '../../src/features/player/session/session-runner.ts'
import type { SessionPlaylist } from '../../src/features/player/session-playlist.ts'
import { makePlaylistWatch, makeVideoWatch } from '../watch-credit/_watch-data.ts'
import { createServer, createTimers, elsewhereAnswer, makeFailure, okAnswer, settleAll } from './_answers.ts'
import { createFakeAdapters } from './_fake-adapter.ts'
import { countPending, createPendingAnswer, noStorage } from './_player-outbox.ts'
import { makeSessionPlaylist, makeSessionStatus } from './_session-driver.ts'

const nothingToResume = { ...okAnswer, data: makeSessionStatus({ can_resume: false }) as never }

const ownStatus = { ...okAnswer, data: makeSessionStatus({ owned_lock_last: true }) as never }

function makeLongPlaylist(): SessionPlaylist {
  const playlist = makeSessionPlaylist(1)
  return { ...playlist, videos: [{ ...playlist.videos[0]!, duration: 3_600 }] }
}

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

function createSession(playlist: SessionPlaylist = makeSessionPlaylist(2), options: Partial<RunnerOptions> = {}) {
  const server = createServer()
  server.answerWith(call => (call === 'session-status' ? nothingToResume : okAnswer))
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
    monotonicNow: timers.now,
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
    async startPlaying() {
      runner.start()
      await settleAll()
      adapters.last.emit('cued')
      await settleAll()
      adapters.last.emit('playing')
      await settleAll()
    },
    /** Advances the clock and the provider's position second by second. */
    async playFor(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        adapters.last.currentTime += 1
        await timers.pass(1_000)
      }
    },
    bodiesOf: (name: string) => server.received.filter(({ call }) => call === name).map(({ body }) => body),
  }
}

describe('a monitored session against the server', () => {
  test('counts as use of the page while it plays, without any input, and not while it is paused', async () => {
    const session = createSession()
    await session.startPlaying()
    const startedAt = Date.now()
    const dateNow = jest.spyOn(Date, 'now').mockReturnValue(startedAt + 1_800_000)
    try {
      expect(secondsSinceUse()).toBeGreaterThanOrEqual(1_799)
      await session.playFor(11)
      expect(secondsSinceUse()).toBe(0)
      session.runner.send({ type: 'toggle' })
      await settleAll()
      dateNow.mockReturnValue(startedAt + 3_600_000)
      await session.timers.pass(600_000)
      expect(secondsSinceUse()).toBe(1_800)
    } finally {
      dateNow.mockRestore()
    }
  })

  test('sends the reports of the specification at their times', async () => {
    const session = createSession()
    await session.startPlaying()
    expect(session.adapters.last.calls).toEqual(['load v0@0', 'play'])
    await session.playFor(31)
    session.runner.send({ type: 'toggle' })
    await settleAll()
    expect(session.bodiesOf('monitoring')).toEqual([
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
    expect(session.bodiesOf('save-progress').at(-1)).toEqual({
      playlist_id: 'p1',
      video_id: 'v0',
      video_index: 0,
      progress: 31,
    })
    expect(session.bodiesOf('save-progress')).toHaveLength(4)
    expect(session.bodiesOf('heartbeat')).toHaveLength(1)
    const reports = session.bodiesOf('track') as { event_type: string; watch_time: number; event_id: string }[]
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

  test('plays only after the lock is answered', async () => {
    const session = createSession()
    let answerLock = (_value: typeof okAnswer) => {}
    session.server.answerWith(call =>
      call === 'session-status'
        ? nothingToResume
        : new Promise(resolve => {
            answerLock = resolve
          }),
    )
    session.runner.start()
    await settleAll()
    session.adapters.last.emit('cued')
    await settleAll()
    expect(session.adapters.last.calls).not.toContain('play')
    answerLock(okAnswer)
    await settleAll()
    expect(session.adapters.last.calls).toContain('play')
  })

  test('pauses when a heartbeat is refused without the lock; “Continue here” takes over', async () => {
    const session = createSession()
    await session.startPlaying()
    session.server.answerWith((call, body) => {
      if (call === 'session-status') return nothingToResume
      return (body as { take_over?: boolean } | undefined)?.take_over ? okAnswer : elsewhereAnswer
    })
    await session.playFor(30)
    expect(session.runner.view.get().phase).toBe('elsewhere')
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    session.runner.send({ type: 'continue-here' })
    await settleAll()
    expect(session.bodiesOf('monitoring').slice(-2)).toEqual([
      // The other session has watched further, so the takeover brings no position.
      { is_monitoring: true, playlist_id: 'p1', take_over: true },
      expect.objectContaining({ is_monitoring: true, video_progress: 9 }),
    ])
  })

  interface OtherSession {
    position: number
    /** When it saved its position, in seconds before now. */
    savedAgoS: number
    /** The answer to this session's first lock request is lost. */
    losesAnswer?: boolean
  }

  /** A session whose login session lost the lock to another one, which has released it. */
  function leaveToOtherSession(
    session: ReturnType<typeof createSession>,
    { position, savedAgoS, losesAnswer = false }: OtherSession,
  ) {
    const { server, timers } = session
    let isOwner = false
    let losesNext = losesAnswer
    server.answerWith((call, body) => {
      if (call === 'session-status') {
        const saved_at = new Date(timers.now() - savedAgoS * 1_000).toISOString()
        const saved = { current_video_id: 'v0', current_video_index: 0, video_progress: position, saved_at }
        const status = makeSessionStatus({ ...saved, owned_lock_last: isOwner })
        const headers = new Headers({ date: new Date(timers.now()).toUTCString() })
        return { ok: true, data: status as never, headers }
      }
      if (call === 'monitoring') isOwner = (body as { is_monitoring: boolean }).is_monitoring
      const isLost = losesNext && call === 'monitoring'
      if (isLost) losesNext = false
      if (isLost) return makeFailure(0)
      return isOwner ? okAnswer : elsewhereAnswer
    })
  }

  test('continues where another session has watched to while this device slept, and saves no older position', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(5)
    leaveToOtherSession(session, { position: 40, savedAgoS: 60 })
    session.server.received.length = 0
    session.runner.confirmLock()
    await settleAll()
    session.adapters.last.emit('cued')
    await settleAll()
    expect(session.adapters.last.calls.slice(-2)).toEqual(['load v0@40', 'play'])
    expect(session.bodiesOf('monitoring')).toEqual([
      { is_monitoring: true, playlist_id: 'p1' },
      expect.objectContaining({ is_monitoring: true, video_progress: 40 }),
    ])
    expect(session.bodiesOf('save-progress')).toEqual([])
  })

  test('saves no older position after a lock request whose answer was lost', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(5)
    leaveToOtherSession(session, { position: 40, savedAgoS: 60, losesAnswer: true })
    session.server.received.length = 0
    session.runner.confirmLock()
    await settleAll()
    expect(session.runner.view.get().note).toBe('waiting-for-server')
    await session.timers.pass(2_000)
    const withoutPosition = { is_monitoring: true, playlist_id: 'p1' }
    expect(session.bodiesOf('monitoring').slice(0, 2)).toEqual([withoutPosition, withoutPosition])
    expect(session.adapters.last.calls.at(-1)).toBe('load v0@40')
    expect(session.bodiesOf('monitoring').at(-1)).toMatchObject({ video_progress: 40 })
  })

  test('waits for the answer whether another session has watched since', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(5)
    session.server.answerWith(call => {
      if (call === 'heartbeat') return elsewhereAnswer
      return call === 'session-status' ? makeFailure(503) : okAnswer
    })
    session.server.received.length = 0
    session.runner.confirmLock()
    await settleAll()
    expect(session.server.calls()).toEqual(['heartbeat', 'session-status'])
    expect(session.runner.view.get().note).toBe('waiting-for-server')
    leaveToOtherSession(session, { position: 40, savedAgoS: 60 })
    await session.timers.pass(2_000)
    expect(session.adapters.last.calls.at(-1)).toBe('load v0@40')
  })

  test('plays on without a connection while the server keeps the lock, then waits and continues by itself', async () => {
    const session = createSession(makeLongPlaylist())
    await session.startPlaying()
    await session.playFor(65)
    const ownedAt = session.timers.now()
    session.server.answerWith(() => makeFailure(0))
    await session.playFor(200)
    expect(session.runner.view.get()).toMatchObject({ phase: 'playing', note: undefined })
    await session.playFor(1_800)
    expect(session.runner.view.get()).toMatchObject({ phase: 'starting', note: 'waiting-for-server' })
    expect(session.adapters.last.calls.at(-1)).toBe('pause')

    session.server.received.length = 0
    session.server.answerWith(call => (call === 'session-status' ? ownStatus : okAnswer))
    await session.timers.pass(45_000)
    expect(session.adapters.last.calls.at(-1)).toBe('play')
    expect(session.runner.view.get().note).not.toBe('waiting-for-server')
    const reports = session.bodiesOf('track') as { event_type: string; client_time: string; watch_time: number }[]
    const last = reports.at(-1)!
    expect(last.event_type).toBe('pause')
    // The server credits nothing after the lock's expiry.
    expect(Date.parse(last.client_time) - ownedAt).toBeLessThan(limits.monitoringLockMs)
    expect(session.bodiesOf('monitoring')).toEqual([
      expect.objectContaining({ is_monitoring: true, video_progress: last.watch_time }),
    ])
    expect(session.server.calls().slice(0, 2)).toEqual(['session-status', 'monitoring'])
  })

  test.each(['heartbeat', 'save-progress'])('keeps the lock with every %s that the server accepts', async accepted => {
    const session = createSession(makeLongPlaylist())
    await session.startPlaying()
    session.server.answerWith(call => (call === accepted ? okAnswer : makeFailure(503)))
    await session.playFor(900)
    expect(session.runner.view.get()).toMatchObject({ phase: 'playing', note: undefined })
    expect(session.bodiesOf('monitoring')).toHaveLength(1)
  })

  test('does not request a lost lock any more after a pause', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(5)
    const status = createPendingAnswer()
    session.server.answerWith(call => {
      if (call === 'heartbeat') return elsewhereAnswer
      return call === 'session-status' ? status.answer : okAnswer
    })
    session.server.received.length = 0
    session.runner.confirmLock()
    await settleAll()
    session.runner.send({ type: 'toggle' })
    await settleAll()
    status.resolve(nothingToResume)
    await settleAll()
    expect(session.bodiesOf('monitoring')).toEqual([expect.objectContaining({ is_monitoring: false })])
  })

  test('takes over at the other session’s position, although an older one was not sent', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(3)
    session.server.answerWith(call => (call === 'save-progress' ? makeFailure(503) : elsewhereAnswer))
    await session.playFor(27)
    expect(session.runner.view.get().phase).toBe('elsewhere')
    expect(countPending(session.outbox)).toBe(1)
    leaveToOtherSession(session, { position: 40, savedAgoS: 0 })
    await session.timers.pass(1_000)
    session.runner.send({ type: 'continue-here' })
    await settleAll()
    expect(session.adapters.last.calls.at(-1)).toBe('load v0@40')
  })

  test('takes over at the other session’s position in a session that a link opened, too', async () => {
    const playlist = makeSessionPlaylist(2)
    const session = createSession(playlist, { launch: { startVideoId: 'v1', startTimestamp: 5 } })
    session.server.answerWith(call => (call === 'save-progress' ? makeFailure(503) : elsewhereAnswer))
    session.outbox.add(saveProgressCall(playlist, 0, 7))
    session.runner.start()
    await settleAll()
    expect(session.runner.view.get().phase).toBe('elsewhere')
    leaveToOtherSession(session, { position: 40, savedAgoS: 0 })
    await session.timers.pass(1_000)
    session.runner.send({ type: 'continue-here' })
    await settleAll()
    expect(session.adapters.last.calls.at(-1)).toBe('load v0@40')
  })

  test('ends when a heartbeat is refused after the assignment was withdrawn, and sends no further call', async () => {
    const session = createSession()
    await session.startPlaying()
    session.server.answerWith(call => {
      if (call === 'session-status') return nothingToResume
      return call === 'monitoring' ? makeFailure(404, { code: 'not_found' }) : elsewhereAnswer
    })
    await session.playFor(30)
    expect(session.runner.view.get().phase).toBe('unassigned')
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    const callCount = session.bodiesOf('monitoring').length
    session.adapters.last.emit('playing')
    session.runner.send({ type: 'toggle' })
    session.runner.send({ type: 'try-again' })
    await session.timers.pass(120_000)
    expect(session.bodiesOf('monitoring')).toHaveLength(callCount)
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
  })

  test('plays from the start if the session check fails', async () => {
    const session = createSession()
    session.server.answerWith(call => (call === 'session-status' ? makeFailure(500) : okAnswer))
    await session.startPlaying()
    expect(session.adapters.last.calls).toEqual(['load v0@0', 'play'])
  })

  test('calls an unavailable server again until it answers', async () => {
    const session = createSession()
    let isUnavailable = true
    session.server.answerWith(call =>
      call === 'session-status' ? nothingToResume : isUnavailable ? makeFailure(503) : okAnswer,
    )
    session.runner.start()
    await settleAll()
    session.adapters.last.emit('cued')
    await session.timers.pass(2_000)
    expect(session.adapters.last.calls).not.toContain('play')
    expect(session.runner.view.get().note).toBe('waiting-for-server')
    isUnavailable = false
    await session.timers.pass(10_000)
    expect(session.adapters.last.calls).toContain('play')
  })

  test('prefers an unsent position to the server’s', async () => {
    const session = createSession()
    session.server.answerWith(call => {
      if (call === 'session-status')
        return { ...okAnswer, data: makeSessionStatus({ current_video_index: 0, video_progress: 3 }) as never }
      return call === 'save-progress' ? makeFailure(503) : okAnswer
    })
    session.outbox.add({
      kind: 'save-progress',
      body: { playlist_id: 'p1', video_id: 'v1', video_index: 1, progress: 20 },
    })
    session.runner.start()
    await session.timers.pass(4_000)
    expect(session.adapters.last.calls).toEqual(['load v1@20'])
  })

  interface SavedPosition {
    savedAgoS: number
    clockLeadS?: number
    /** This login session monitored last. */
    ownedLast?: boolean
  }

  test.each([
    ['the server’s position if another device saved it later', { savedAgoS: 60 }, 'v0@3', 0],
    ['its unsent position if the server’s is older', { savedAgoS: 180 }, 'v1@20', 1],
    [
      'its unsent position if no other login session has monitored since',
      { savedAgoS: 60, ownedLast: true },
      'v1@20',
      1,
    ],
    ['the later position although its clock is slow', { savedAgoS: 180, clockLeadS: -3_600 }, 'v1@20', 1],
    ['the later position although its clock is fast', { savedAgoS: 60, clockLeadS: 3_600 }, 'v0@3', 0],
  ])('resumes at %s', async (_name, { savedAgoS, clockLeadS, ownedLast }: SavedPosition, start, sent) => {
    const session = createSession()
    const { timers, server } = session
    session.outbox.add({
      kind: 'save-progress',
      body: { playlist_id: 'p1', video_id: 'v1', video_index: 1, progress: 20 },
    })
    await timers.pass(120_000)
    const serverNow = timers.now() - (clockLeadS ?? 0) * 1_000
    const saved_at = new Date(serverNow - savedAgoS * 1_000).toISOString()
    const saved = { current_video_id: 'v0', current_video_index: 0, video_progress: 3, saved_at }
    const status = makeSessionStatus({ ...saved, owned_lock_last: ownedLast })
    const headers = new Headers(clockLeadS === undefined ? {} : { date: new Date(serverNow).toUTCString() })
    server.answerWith(call => (call === 'session-status' ? { ok: true, data: status as never, headers } : okAnswer))
    session.runner.start()
    await settleAll()
    expect(session.adapters.last.calls).toEqual([`load ${start}`])
    session.adapters.last.emit('cued')
    await settleAll()
    expect(session.bodiesOf('monitoring')).toEqual([expect.objectContaining({ is_monitoring: true })])
    expect(session.bodiesOf('save-progress')).toHaveLength(sent)
    expect(countPending(session.outbox)).toBe(0)
  })

  test('limits positions to the length that the server knows', async () => {
    const session = createSession()
    await session.startPlaying()
    session.adapters.last.currentTime = 60.9
    session.adapters.last.emit('ended')
    await settleAll()
    expect(session.bodiesOf('save-progress').at(-1)).toMatchObject({ progress: 60 })
  })

  test('continues to play after a reload of a playing tab', async () => {
    const session = createSession()
    await session.startPlaying()
    session.runner.send({ type: 'hidden' })
    expect(session.memory.size).toBe(1)
    const reloadedSession = createSession(makeSessionPlaylist(2), {
      tabMemory: { getItem: key => session.memory.get(key) ?? null, setItem: () => {}, removeItem: () => {} },
    })
    reloadedSession.server.answerWith(call =>
      call === 'session-status'
        ? { ...okAnswer, data: makeSessionStatus({ is_monitoring: false }) as never }
        : okAnswer,
    )
    reloadedSession.runner.start()
    await settleAll()
    reloadedSession.adapters.last.emit('cued')
    await settleAll()
    expect(reloadedSession.adapters.last.calls).toContain('play')
    session.runner.send({ type: 'visible' })
    expect(session.memory.size).toBe(0)
  })

  const endedStatus = makeSessionStatus({ can_resume: false, current_playlist_id: 'p1', current_video_id: 'v1' })
  const gapInLastVideo = makePlaylistWatch([
    makeVideoWatch({ completed: true, missing: [[3, 4]] }),
    makeVideoWatch({ video_id: 'v1', missing: [[40, 50]] }),
  ])

  test.each([
    ['plays on at the saved position after a press', 'continue', makeSessionStatus({ is_monitoring: false }), 'v1@25'],
    ['plays from the beginning if it starts over', 'start-over', makeSessionStatus(), 'v0@0'],
    ['plays from the first gap if the end was reached before', 'continue', endedStatus, 'v1@40'],
    ['begins at the first gap without a press, too', undefined, endedStatus, 'v1@40'],
  ] as const)('%s', async (_name, begin, status, start) => {
    const session = createSession(makeSessionPlaylist(2), { begin })
    session.server.answerWith(call => {
      if (call === 'session-status') return { ...okAnswer, data: status as never }
      return call === 'watched' ? { ...okAnswer, data: gapInLastVideo as never } : okAnswer
    })
    session.runner.start()
    await settleAll()
    session.adapters.last.emit('cued')
    await settleAll()
    expect(session.adapters.last.calls).toEqual([`load ${start}`, 'play'])
  })

  test.each([
    ['a chosen video from its first gap', 'v1', gapInLastVideo, 'v1@40'],
    ['a chosen video that is completed from its beginning', 'v0', gapInLastVideo, 'v0@0'],
    ['a chosen video while its gaps are unknown', 'v1', undefined, 'v1@0'],
    ['where the person stopped if the chosen video is gone', 'gone', gapInLastVideo, 'v1@25'],
  ])('plays %s', async (_name, videoId, watch, start) => {
    const session = createSession(makeSessionPlaylist(2), { begin: { videoId } })
    session.server.answerWith(call => {
      if (call === 'session-status') return { ...okAnswer, data: makeSessionStatus() as never }
      if (call !== 'watched') return okAnswer
      return watch ? { ...okAnswer, data: watch as never } : makeFailure(503)
    })
    session.runner.start()
    await settleAll()
    session.adapters.last.emit('cued')
    await settleAll()
    expect(session.adapters.last.calls).toEqual([`load ${start}`, 'play'])
    expect(session.runner.view.get().banner).toBe(videoId === 'gone' ? 'resumed' : undefined)
  })

  test.each([
    ['is completed', { ...gapInLastVideo, completed: true }],
    ['is unknown to the server', undefined],
  ])('begins at the first video if the ended playlist %s', async (_name, watch) => {
    const session = createSession(makeSessionPlaylist(2))
    session.server.answerWith(call => {
      if (call === 'session-status') return { ...okAnswer, data: endedStatus as never }
      if (call !== 'watched') return okAnswer
      return watch ? { ...okAnswer, data: watch as never } : makeFailure(503)
    })
    session.runner.start()
    await settleAll()
    expect(session.adapters.last.calls).toEqual(['load v0@0'])
  })

  test('plays videos of both providers in sequence, each in its own player', async () => {
    const [fileVideo] = makeSessionPlaylist(1, 'file').videos
    const session = createSession({
      ...makeSessionPlaylist(2),
      videos: [fileVideo!, makeSessionPlaylist(2).videos[1]!],
    })
    await session.startPlaying()
    session.runner.send({ type: 'skip' })
    expect(session.adapters.created.map(adapter => adapter.provider)).toEqual(['file', 'youtube'])
    expect(session.adapters.created[0]!.calls.at(-1)).toBe('destroy')
  })

  test('notifies only the clock’s subscribers of a tick', async () => {
    const session = createSession()
    await session.startPlaying()
    let viewChanges = 0
    let clockTicks = 0
    session.runner.view.subscribe(() => viewChanges++)
    session.runner.clock.subscribe(() => clockTicks++)
    await session.playFor(5)
    expect(viewChanges).toBe(0)
    expect(clockTicks).toBeGreaterThanOrEqual(5)
  })

  test('sends unsent calls by keepalive requests when it is left, and stops every timer', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(3)
    session.server.received.length = 0
    session.runner.send({ type: 'leave' })
    const keepaliveCalls = session.server.received.filter(call => call.options?.keepalive).map(call => call.call)
    expect(keepaliveCalls).toEqual(['track', 'monitoring'])
    await settleAll()
    expect(session.timers.waits()).toEqual([])
    expect(session.adapters.last.calls.at(-1)).toBe('destroy')
    expect(countPending(session.outbox)).toBe(0)
  })

  test('sends calls of an earlier visit after the lock’s answer, not before', async () => {
    const session = createSession()
    let answerLock = (_value: typeof okAnswer) => {}
    session.server.answerWith(call => {
      if (call === 'session-status') return nothingToResume
      return call === 'monitoring' ? new Promise(resolve => (answerLock = resolve)) : okAnswer
    })
    session.outbox.add(earlierReport)
    session.runner.start()
    await settleAll()
    expect(session.server.calls()).toEqual(['session-status', 'monitoring'])
    answerLock(okAnswer)
    await settleAll()
    expect(session.server.calls()).toEqual(['session-status', 'monitoring', 'track'])
  })

  test('sends calls of an earlier visit without the lock if it resumes paused', async () => {
    const session = createSession()
    session.server.answerWith(call =>
      call === 'session-status'
        ? { ...okAnswer, data: makeSessionStatus({ is_monitoring: false }) as never }
        : okAnswer,
    )
    session.outbox.add(earlierReport)
    session.runner.start()
    await settleAll()
    expect(session.server.calls()).toEqual(['session-status', 'track'])
  })

  test('confirms the lock before it sends the reports of an offline period', async () => {
    const session = createSession()
    await session.startPlaying()
    session.server.answerWith(() => makeFailure(0))
    await session.playFor(12)
    session.server.received.length = 0
    let answerHeartbeat = (_value: typeof okAnswer) => {}
    session.server.answerWith(call =>
      call === 'heartbeat' ? new Promise(resolve => (answerHeartbeat = resolve)) : okAnswer,
    )
    session.runner.send({ type: 'online' })
    void session.outbox.flush()
    await settleAll()
    expect(session.server.calls()).toEqual(['heartbeat'])
    answerHeartbeat(okAnswer)
    await settleAll()
    expect(session.bodiesOf('track')).toHaveLength(1)
  })

  test('reports the exact position of a pause, a jump and a skip', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(3)
    session.adapters.last.currentTime = 3.6
    session.runner.send({ type: 'seek', to: 20 })
    await settleAll()
    expect(session.bodiesOf('track').at(-1)).toMatchObject({ event_type: 'pause', watch_time: 3.6 })
    await session.timers.pass(500)
    session.adapters.last.emit('playing')
    await session.playFor(2)
    session.adapters.last.currentTime = 22.7
    session.runner.send({ type: 'skip' })
    await settleAll()
    expect(session.bodiesOf('track').at(-1)).toMatchObject({ event_type: 'pause', watch_time: 22.7 })
  })

  test('reports the end of a video that stops there without an event', async () => {
    const session = createSession()
    await session.startPlaying()
    session.adapters.last.currentTime = 59.8
    await session.timers.pass(6_000)
    expect(session.bodiesOf('track').at(-1)).toMatchObject({ event_type: 'ended', watch_time: 59.8 })
  })

  test('never reports hidden playback, because hiding the page pauses', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(12)
    session.runner.send({ type: 'hidden' })
    await session.timers.pass(12_000)
    for (const body of session.bodiesOf('track')) expect(body).not.toHaveProperty('hidden')
  })

  test('reports an unavailable video once and continues', async () => {
    const session = createSession(makeSessionPlaylist(3))
    await session.startPlaying()
    session.server.answerWith(call => (call === 'report-unavailable' ? makeFailure(503) : okAnswer))
    const error = { type: 'error', code: 150, unavailable: true, network: false, reason: 'Not here.' } as const
    session.adapters.last.emit(error)
    session.adapters.last.emit(error)
    await settleAll()
    expect(session.bodiesOf('report-unavailable')).toEqual([{ playlistId: 'p1', videoId: 'v0', code: 150 }])
    expect(session.runner.view.get()).toMatchObject({ phase: 'countdown', unavailable: ['v0'] })
    await session.timers.pass(4_000)
    session.adapters.last.emit({ ...error, code: 101 })
    await settleAll()
    expect(session.bodiesOf('report-unavailable').slice(1)).toEqual([{ playlistId: 'p1', videoId: 'v1', code: 101 }])
  })

  test('checks at once after a hint that the lock may be lost, and pauses only if it is', async () => {
    const session = createSession()
    await session.startPlaying()
    await session.playFor(2)
    session.server.received.length = 0
    session.runner.confirmLock()
    session.runner.confirmLock()
    await settleAll()
    expect(session.server.calls()).toEqual(['heartbeat'])
    expect(session.runner.view.get().phase).toBe('playing')
    session.server.answerWith(() => elsewhereAnswer)
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
