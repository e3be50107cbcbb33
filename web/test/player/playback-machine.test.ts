import { describe, expect, test } from '@jest/globals'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { createDriver, makeSessionPlaylist, makeSessionStatus, playingDriver } from './_session-driver.ts'

test('a change of speed ends the reported part, so that no report mixes two speeds', () => {
  const driver = playingDriver()
  const tick = (position: number, rate: number) =>
    driver.send({ type: 'timer', name: 'tick', reading: { position, duration: 60, rate } })
  const reports = () =>
    driver.effects
      .splice(0)
      .flatMap(effect => (effect.type === 'track' ? [[effect.event, effect.position, effect.rate]] : []))
  tick(1, 1)
  tick(2, 2)
  expect(reports()).toEqual([['playing', 2, 2]])
  tick(4, 2)
  tick(5, 1)
  expect(reports()).toEqual([['playing', 5, 2]])
  tick(6, 1)
  expect(reports()).toEqual([])
})

describe('the start of a session', () => {
  test('with an empty playlist requests nothing', () => {
    const driver = createDriver(makeSessionPlaylist(0))
    driver.send({ type: 'start' })
    expect(driver.state.phase).toBe('empty')
    expect(driver.takeEffects()).toEqual([])
  })

  test('without an earlier session is at 0 of the first video', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    expect(driver.state.phase).toBe('checking')
    expect(driver.takeEffects()).toEqual(['check-status'])
    driver.send({ type: 'status-answered', status: makeSessionStatus({ can_resume: false }) })
    expect(driver.takeEffects()).toEqual(['load 0@0', 'request-lock 0@0'])
    expect(driver.state.banner).toBeUndefined()
  })

  test('after a failed check is at 0 of the first video', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    expect(driver.takeEffects()).toEqual(['check-status', 'load 0@0', 'request-lock 0@0'])
  })

  test('resumes a monitored session at its video and position, and plays', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: makeSessionStatus() })
    expect(driver.state.banner).toBe('resumed')
    driver.provider('cued').lock()
    expect(driver.takeEffects()).toEqual(['check-status', 'load 1@25', 'request-lock 1@25', 'play'])
  })

  test('resumes a paused session without playing and without the lock', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: makeSessionStatus({ is_monitoring: false }) })
    driver.provider('cued')
    expect(driver.takeEffects()).toEqual(['check-status', 'load 1@25'])
    expect(driver.state.phase).toBe('paused')
    driver.send({ type: 'toggle' })
    driver.lock()
    expect(driver.takeEffects()).toEqual(['request-lock 1@25', 'play'])
  })

  test('continues to play in a tab that was playing when it was reloaded', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: makeSessionStatus({ is_monitoring: false }), wasPlaying: true })
    driver.provider('cued').lock()
    expect(driver.takeEffects()).toContain('play')
  })

  test('ignores an earlier session of another playlist or of a removed video', () => {
    for (const status of [
      makeSessionStatus({ current_playlist_id: 'other' }),
      makeSessionStatus({ current_video_index: 7 }),
    ]) {
      const driver = createDriver()
      driver.send({ type: 'start' })
      driver.send({ type: 'status-answered', status })
      expect(driver.takeEffects()).toEqual(['check-status', 'load 0@0', 'request-lock 0@0'])
    }
  })

  test('is the next video if the earlier one was saved at its end', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: makeSessionStatus({ video_progress: 60 }) })
    expect(driver.takeEffects()).toEqual(['check-status', 'load 2@0', 'request-lock 2@0'])
  })

  test('from a notification is at its second, without a check', () => {
    const driver = createDriver(makeSessionPlaylist(), {
      startVideoId: 'v2',
      startTimestamp: 17,
      notificationAction: 'approved',
    })
    driver.send({ type: 'start' })
    expect(driver.state.banner).toBe('approved')
    expect(driver.takeEffects()).toEqual(['load 2@17', 'request-lock 2@17'])
  })

  test('from a notification with an unknown video is an ordinary start', () => {
    const driver = createDriver(makeSessionPlaylist(), { startVideoId: 'gone', startTimestamp: 17 })
    driver.send({ type: 'start' })
    expect(driver.takeEffects()).toEqual(['check-status'])
  })

  test('skips unavailable videos', () => {
    const playlist = makeSessionPlaylist()
    const videos = playlist.videos.map(video => ({ ...video, unavailable: video.id !== 'v1' }))
    const driver = createDriver({ ...playlist, videos })
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    expect(driver.state.index).toBe(1)
    driver.provider('cued').lock().provider('playing').moveTo(60).provider('ended')
    expect(driver.state.phase).toBe('completed')
  })
})

/** The events of each provider for one video. Effects and reports must be the same. */
const providerEvents: Record<string, { start: ProviderEvent['type'][]; end: ProviderEvent['type'][] }> = {
  youtube: { start: ['buffering', 'playing', 'buffering', 'playing'], end: ['ended'] },
  'youtube after an advertisement': {
    start: ['playing', 'paused', 'buffering', 'playing'],
    end: ['buffering', 'ended'],
  },
  'youtube without ended': { start: ['buffering', 'playing'], end: ['paused'] },
  file: { start: ['playing'], end: ['paused', 'ended'] },
}

describe('a whole playlist', () => {
  for (const [name, events] of Object.entries(providerEvents))
    test(`has the same effects with ${name}`, () => {
      const driver = createDriver(makeSessionPlaylist(2, name === 'file' ? 'file' : 'youtube'))
      driver.send({ type: 'start' })
      driver.send({ type: 'status-answered', status: undefined })
      for (const index of [0, 1]) {
        driver.provider('ready').provider('cued').lock()
        for (const event of events.start) driver.provider(event)
        if (driver.state.settling) driver.timer('settle')
        driver.playTo(12).timer('save').timer('heartbeat').playTo(60)
        for (const event of events.end) driver.provider(event)
        if (index === 0) driver.timer('countdown').timer('countdown').timer('countdown')
      }
      const video = (index: number) => [
        `load ${index}@0`,
        `request-lock ${index}@0`,
        'play',
        `track play ${index}@0`,
        `track playing ${index}@10`,
        `save ${index}@12`,
        'heartbeat',
        ...[20, 30, 40, 50, 60].map(seconds => `track playing ${index}@${seconds}`),
        `track ended ${index}@60`,
        `save ${index}@60`,
      ]
      expect(driver.takeEffects()).toEqual([
        'check-status',
        ...video(0),
        ...video(1),
        'track playlist_completed 1@60',
        'release-lock 1@60',
      ])
      expect(driver.state.phase).toBe('completed')
      expect(driver.state.playback.watched).toBe(120)
      expect(driver.timers.size).toBe(0)
    })
})

describe('a pause', () => {
  test('by the viewer is reported and saved, and releases the lock; playing requests it again', () => {
    const driver = playingDriver()
    driver.playTo(7).send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['pause', 'track pause 0@7', 'save 0@7', 'release-lock 0@7'])
    expect([...driver.timers]).toEqual([])
    driver.provider('paused').send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['request-lock 0@7'])
    driver.lock().provider('playing')
    expect(driver.takeEffects()).toEqual(['play', 'track play 0@7'])
    expect(driver.timers.has('tick')).toBe(true)
  })

  test('is not undone by a late playing event', () => {
    const driver = playingDriver()
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.provider('playing')
    expect(driver.takeEffects()).toEqual(['pause'])
    expect(driver.state.phase).toBe('paused')
  })

  test.each([
    { when: 'is about to play', events: [] },
    { when: 'is about to play and has lost its lock', events: [{ type: 'lock-lost' } as const] },
  ])('of a video that $when is not undone by its first playing event', ({ events }) => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('ready').provider('cued').lock()
    for (const event of events) driver.send(event)
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.provider('playing')
    expect(driver.takeEffects()).toEqual(['pause'])
    expect(driver.state.phase).toBe('paused')
    driver.provider('paused').provider('playing')
    expect(driver.takeEffects()).toEqual(['pause', 'request-lock 0@0'])
  })

  test('by a press inside YouTube’s frame counts, and a second press plays after the lock is acquired', () => {
    const driver = playingDriver()
    driver.playTo(7).provider('paused')
    expect(driver.takeEffects()).toEqual([])
    driver.timer('settle')
    expect(driver.takeEffects()).toEqual(['pause', 'track pause 0@7', 'save 0@7', 'release-lock 0@7'])
    driver.provider('playing')
    expect(driver.takeEffects()).toEqual(['pause', 'request-lock 0@7'])
    driver.provider('paused').lock().provider('playing')
    expect(driver.takeEffects()).toEqual(['play', 'track play 0@7'])
  })

  test('that ends within a moment is ignored', () => {
    const driver = playingDriver()
    driver.playTo(7).provider('paused').provider('buffering').provider('playing').timer('settle')
    expect(driver.takeEffects()).toEqual([])
    expect(driver.state.phase).toBe('playing')
  })

  test('by a hidden page lasts until the viewer plays', () => {
    const driver = playingDriver()
    driver.playTo(7).send({ type: 'hidden' })
    expect(driver.takeEffects()).toEqual(['pause', 'track pause 0@7', 'save 0@7', 'release-lock 0@7', 'flush'])
    driver.provider('paused').provider('playing')
    expect(driver.takeEffects()).toEqual(['pause'])
    driver.provider('paused').send({ type: 'visible' })
    expect(driver.state).toMatchObject({ phase: 'paused', note: 'hidden' })
    expect(driver.takeEffects()).toEqual([])
    driver.send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['request-lock 0@7'])
    expect(driver.state.note).toBeUndefined()
  })

  test('by a hidden page stops the countdown', () => {
    const driver = playingDriver()
    driver.playTo(60).provider('ended').send({ type: 'hidden' })
    for (let second = 0; second < 5; second += 1) driver.timer('countdown')
    expect(driver.state.phase).toBe('countdown')
    expect(driver.state.lock).toBe('none')
    driver.send({ type: 'visible' })
    driver.timer('countdown').timer('countdown').timer('countdown').provider('cued').lock()
    expect(driver.takeEffects().slice(-3)).toEqual(['load 1@0', 'request-lock 1@0', 'play'])
  })

  test('by a hidden page keeps a new session from starting', () => {
    const driver = createDriver()
    driver.send({ type: 'hidden' })
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    expect(driver.takeEffects()).toEqual(['flush', 'check-status', 'load 0@0'])
    expect(driver.state).toMatchObject({ phase: 'paused', note: 'hidden' })
  })
})

describe('a seek', () => {
  test('reports the play before it and a new one, is saved, and its events are no pause', () => {
    const driver = playingDriver()
    driver.playTo(7).send({ type: 'seek', to: 40 })
    expect(driver.takeEffects()).toEqual(['track pause 0@7', 'seek 40', 'save 0@40'])
    driver.timer('tick').provider('paused').provider('buffering').provider('paused').provider('buffering')
    driver.moveTo(40).provider('playing')
    expect(driver.takeEffects()).toEqual([])
    driver.timer('settle')
    expect(driver.takeEffects()).toEqual(['track play 0@40'])
    driver.playTo(44)
    expect(driver.state.playback.watched).toBe(11)
  })

  test('starts a provider that stays paused', () => {
    const driver = playingDriver()
    driver.send({ type: 'seek', to: 40 })
    driver.takeEffects()
    driver.provider('paused').timer('settle')
    expect(driver.takeEffects()).toEqual(['play'])
  })

  test('while paused does not start playback, whatever events the provider sends', () => {
    const driver = playingDriver()
    driver.send({ type: 'toggle' })
    driver.provider('paused')
    driver.takeEffects()
    driver.send({ type: 'seek', to: 20 })
    driver.provider('buffering').provider('playing').provider('paused').timer('settle')
    expect(driver.takeEffects()).toEqual(['seek 20', 'release-lock 0@20', 'pause'])
    expect(driver.state.phase).toBe('paused')
  })

  test('to the very end while paused lets the next play begin at the start, and the reports say so', () => {
    const driver = playingDriver()
    driver.playTo(7).send({ type: 'toggle' })
    driver.provider('paused').send({ type: 'seek', to: 60 })
    driver.moveTo(60).timer('settle')
    driver.takeEffects()
    driver.send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['seek 0', 'release-lock 0@0', 'request-lock 0@0'])
    driver.lock().moveTo(0).provider('playing').timer('settle')
    expect(driver.takeEffects()).toEqual(['play', 'track play 0@0'])
    driver.playTo(10)
    expect(driver.takeEffects()).toEqual(['track playing 0@10'])
  })

  test('stays inside the video, and an invalid one goes to the start', () => {
    const driver = playingDriver()
    driver.send({ type: 'seek', to: 999 })
    driver.send({ type: 'seek', to: -4 })
    driver.send({ type: 'seek', to: Number.NaN })
    expect(driver.takeEffects().filter(effect => effect.startsWith('seek'))).toEqual(['seek 60', 'seek 0', 'seek 0'])
  })
})

describe('the end of a session', () => {
  test('saves, reports, releases the lock and stops every timer', () => {
    const driver = playingDriver()
    driver.playTo(7).send({ type: 'leave' })
    expect(driver.takeEffects()).toEqual([
      'pause',
      'track pause 0@7',
      'save 0@7',
      'release-lock 0@7',
      'flush',
      'destroy',
    ])
    driver.provider('playing').timer('tick').send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual([])
    expect(driver.timers.size).toBe(0)
  })

  test('after completion destroys the player', () => {
    const driver = playingDriver(makeSessionPlaylist(1))
    driver.playTo(60).provider('ended')
    driver.takeEffects()
    driver.send({ type: 'leave' })
    expect(driver.takeEffects()).toEqual(['flush', 'destroy'])
  })

  test('counts neither a motionless advertisement nor a jump as watched', () => {
    const driver = playingDriver()
    for (let second = 0; second < 30; second += 1) driver.timer('tick')
    driver.moveTo(45).timer('tick')
    expect(driver.state.playback.watched).toBe(0)
    expect(driver.takeEffects()).toEqual([])
  })
})
