import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { SessionEvent } from '../../src/features/player/machine/playback-types.ts'
import { createLimitedDriver, limitedPlaylist, makeLimitedWatch, makeReportWatch } from './_limited-task.ts'
import { createDriver, makeSessionStatus, playingDriver } from './_session-driver.ts'

type Driver = ReturnType<typeof createDriver>

/** Resumes at a place that the server saved, and plays from there. */
function resume(driver: Driver, index: number, position: number) {
  driver.send({
    type: 'status-answered',
    status: makeSessionStatus({ current_video_index: index, video_progress: position }),
  })
  driver.provider('ready').provider('cued').lock().provider('playing')
  return driver
}

/** Plays a video of which so much is watched, from there on. */
function playingLimited(untils: readonly number[], index = 0) {
  const driver = resume(createLimitedDriver(untils), index, untils[index]!)
  driver.takeEffects()
  return driver
}

const refusalOf = ({ state: { refusal } }: Driver) => refusal?.kind
const answer = (driver: Driver, index: number, position: number, until: number, reportedAt = 1_000) =>
  driver.send({
    ...{ type: 'report-answered', videoId: `v${index}`, position, reportedAt },
    watch: makeReportWatch(index, until),
  })

describe('a task without skipping ahead begins', () => {
  test('after it knows what is watched, also from a notification', () => {
    const driver = createDriver(limitedPlaylist(), { startVideoId: 'v0', startTimestamp: 17 })
    driver.send({ type: 'start' })
    expect([driver.state.phase, driver.takeEffects()]).toEqual(['checking', ['load-reach']])
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([30, 0, 0]), at: 0 })
    expect(driver.takeEffects()).toEqual(['load 0@17', 'request-lock 0@17'])
    expect([driver.state.banner, refusalOf(driver)]).toEqual(['view', undefined])
  })

  test('at its saved position, but never beyond the reachable end, without a word', () => {
    const within = resume(createLimitedDriver([40, 0, 0]), 0, 25)
    expect(within.takeEffects()).toContain('load 0@25')
    const beyond = resume(createLimitedDriver([40, 0, 0]), 0, 50)
    expect(beyond.takeEffects()).toContain('load 0@40')
    expect([beyond.state.banner, refusalOf(beyond)]).toEqual(['resumed', undefined])
  })

  test('at the first video that is not complete, if a later one was saved', () => {
    expect(resume(createLimitedDriver([60, 12, 0]), 2, 25).takeEffects()).toContain('load 1@12')
    // The end of a video with a gap is not its end.
    expect(resume(createLimitedDriver([12, 0, 0]), 0, 60).takeEffects()).toContain('load 0@12')
  })

  test('at the reachable end if a notification points beyond it, and says so', () => {
    const ahead = createLimitedDriver([20, 0, 0], { startVideoId: 'v0', startTimestamp: 50 })
    expect(ahead.takeEffects()).toContain('load 0@20')
    expect([ahead.state.banner, refusalOf(ahead)]).toEqual([undefined, 'position'])
    const later = createLimitedDriver([20, 0, 0], { startVideoId: 'v2', startTimestamp: 5 })
    expect(later.takeEffects()).toContain('load 0@20')
    expect(refusalOf(later)).toBe('video')
  })

  test('with the chosen video if it may be played, else with the one before it', () => {
    const choose = (untils: readonly number[], index: number) => {
      const driver = createLimitedDriver(untils)
      driver.send({ type: 'video-chosen', index, position: untils[index]! })
      return [driver.takeEffects().find(effect => effect.startsWith('load ')), refusalOf(driver)]
    }
    expect(choose([60, 12, 0], 1)).toEqual(['load 1@12', undefined])
    expect(choose([60, 12, 0], 2)).toEqual(['load 1@12', 'video'])
  })

  test('where it was saved if it is not known what is watched; the first answer sets the limits', () => {
    const driver = createDriver(limitedPlaylist())
    driver.send({ type: 'start' })
    driver.send({ type: 'reach-loaded', watch: undefined, at: 0 })
    resume(driver, 0, 50).takeEffects()
    answer(driver, 0, 50, 20)
    answer(driver, 0, 50, 20)
    expect(driver.takeEffects()).toEqual(['load-reach'])
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([20, 0, 0]), at: 2_000 })
    expect(driver.takeEffects()).toEqual([])
    answer(driver, 0, 60, 20, 3_000)
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([20, 0, 0]), at: 4_000 })
    expect(driver.takeEffects()).toEqual(['load-reach', 'track pause 0@50', 'seek 20', 'save 0@20'])
  })

  test('again after a takeover, with what the other session has watched', () => {
    const driver = playingLimited([20, 0, 0])
    driver.send({ type: 'lock-lost' })
    driver.lock('elsewhere')
    driver.send({ type: 'continue-here' })
    driver.lock().takeEffects()
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([40, 0, 0]), at: 0 })
    expect(driver.takeEffects()).toEqual(['check-status'])
    driver.send({
      type: 'status-answered',
      status: makeSessionStatus({ current_video_index: 0, video_progress: 55 }),
    })
    expect(driver.takeEffects()).toContain('load 0@40')
  })
})

describe('in a task without skipping ahead, a seek', () => {
  test('within what is watched goes there', () => {
    const driver = playingLimited([30, 0, 0])
    driver.send({ type: 'seek', to: 10 })
    expect(driver.takeEffects()).toEqual(['track pause 0@30', 'seek 10', 'save 0@10'])
    driver.timer('settle')
    driver.send({ type: 'seek', to: 29 })
    expect(driver.takeEffects()).toContain('seek 29')
    expect(refusalOf(driver)).toBeUndefined()
  })

  test('beyond it goes to the furthest position, with what has just played, and each attempt has its text', () => {
    const driver = playingLimited([30, 0, 0])
    driver.playTo(35).send({ type: 'seek', to: 5 })
    driver.timer('settle').takeEffects()
    driver.send({ type: 'seek', to: 50 })
    expect(driver.takeEffects()).toContain('seek 35')
    expect(driver.state.refusal).toEqual({ kind: 'position', number: 1 })
    driver.moveTo(35).timer('settle')
    driver.send({ type: 'seek', to: 50 })
    expect(driver.state.refusal).toEqual({ kind: 'position', number: 2 })
    driver.timer('refusal')
    expect(driver.state.refusal).toBeUndefined()
  })

  test('beyond it does not interrupt the play at the furthest position, nor start a paused one', () => {
    const driver = playingLimited([30, 0, 0])
    driver.send({ type: 'seek', to: 40 })
    expect([driver.takeEffects(), refusalOf(driver)]).toEqual([[], 'position'])
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.send({ type: 'seek', to: 40 })
    expect([driver.takeEffects(), driver.state.phase]).toEqual([[], 'paused'])
  })

  test('over parts that were credited before is possible as soon as the gap before them is played', () => {
    const driver = createDriver(limitedPlaylist())
    driver.send({ type: 'start' })
    const { videos, ...watch } = makeLimitedWatch([10, 0, 0])
    const withGap = {
      ...videos[0]!,
      watched: [
        [0, 10],
        [15, 40],
      ] as [number, number][],
    }
    driver.send({ type: 'reach-loaded', watch: { ...watch, videos: [withGap, ...videos.slice(1)] }, at: 0 })
    resume(driver, 0, 10).playTo(13).takeEffects()
    driver.send({ type: 'seek', to: 40 })
    expect(driver.takeEffects()).toEqual([])
    driver.playTo(15).send({ type: 'seek', to: 40 })
    expect(driver.takeEffects()).toContain('seek 40')
  })

  test('a little beyond it is a joint of playback', () => {
    const driver = playingLimited([30, 0, 0])
    driver.send({ type: 'seek', to: 30.8 })
    expect([driver.takeEffects().at(-1), refusalOf(driver)]).toEqual(['save 0@30', undefined])
  })

  test('of the provider’s own controls is taken back', () => {
    for (const event of ['playing', 'paused', 'buffering', 'ended'] as const) {
      const driver = playingLimited([10, 0, 0])
      driver.playTo(15).takeEffects()
      driver.moveTo(event === 'ended' ? 60 : 45).provider(event)
      if (event === 'playing' || event === 'buffering') driver.timer('tick')
      expect(driver.takeEffects()).toEqual(['track pause 0@15', 'seek 15', 'save 0@15'])
      expect([driver.state.phase, refusalOf(driver)]).not.toContain('countdown')
      expect(refusalOf(driver)).toBe('position')
    }
  })

  test('to the end by the provider, where it stands still, does not end the video', () => {
    const driver = playingLimited([10, 0, 0])
    driver.moveTo(60).timer('check').timer('check').timer('check')
    expect(driver.takeEffects().filter(effect => effect.startsWith('track'))).toEqual(['track pause 0@10'])
    expect(driver.state.phase).toBe('playing')
  })
})

describe('in a task without skipping ahead, a later video', () => {
  test('is refused while an earlier one is not complete, and nothing changes', () => {
    const driver = playingLimited([30, 0, 0])
    for (const event of [{ type: 'skip' }, { type: 'go-to', index: 2, to: 0 }] as const) {
      driver.send(event)
      expect([driver.takeEffects(), driver.state.index, refusalOf(driver)]).toEqual([[], 0, 'video'])
    }
  })

  test('may be chosen when the earlier ones are complete, and begins where it may', () => {
    const driver = playingLimited([30, 12, 0])
    driver.playTo(54).takeEffects()
    driver.send({ type: 'go-to', index: 1, to: 40 })
    expect(driver.takeEffects()).toContain('load 1@12')
    expect(refusalOf(driver)).toBe('position')
    driver.provider('cued').lock().provider('playing').playTo(20).takeEffects()
    driver.send({ type: 'go-to', index: 0, to: 50 })
    expect(driver.takeEffects()).toContain('load 0@50')
    driver.provider('cued').lock().provider('playing').takeEffects()
    driver.send({ type: 'go-to', index: 1, to: 18 })
    expect(driver.takeEffects()).toContain('load 1@18')
  })

  test('follows by itself at the end of the one before', () => {
    const driver = playingLimited([30, 0, 0])
    driver.playTo(60).provider('ended')
    expect(driver.state.phase).toBe('countdown')
    driver.timer('countdown').timer('countdown').timer('countdown')
    expect(driver.takeEffects()).toContain('load 1@0')
    expect(refusalOf(driver)).toBeUndefined()
  })

  test('waits for no video that cannot play', () => {
    const driver = playingLimited([60, 0, 0], 1)
    driver.provider({ type: 'error', code: 150, unavailable: true, network: false, reason: 'No.' })
    expect(driver.state.phase).toBe('countdown')
    driver.send({ type: 'skip' })
    expect(driver.takeEffects()).toContain('load 2@0')
  })

  test('ends with a panel if the server waits for a video that cannot play here', () => {
    const driver = playingLimited([60, 0, 0], 1)
    driver.provider({ type: 'error', code: 150, unavailable: true, network: false, reason: 'No.' })
    driver.send({ type: 'skip' })
    driver.provider('cued').lock().provider('playing').playTo(10).takeEffects()
    answer(driver, 2, 10, 0)
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([60, 0, 0]), at: 2_000 })
    expect(driver.state.phase).toBe('unplayable')
    expect(driver.takeEffects().at(-1)).toBe('release-lock 2@10')
  })
})

describe('the answers to reports', () => {
  test('open later videos and parts that another session has watched', () => {
    const driver = playingLimited([30, 0, 0])
    answer(driver, 0, 30, 55)
    driver.send({ type: 'seek', to: 50 })
    expect(driver.takeEffects()).toContain('seek 50')
    driver.send({ type: 'skip' })
    expect(driver.takeEffects()).toContain('load 1@0')
  })

  test('that refuse the credit lead back to where it ends, once for all reports of the same play', () => {
    const driver = playingLimited([30, 0, 0])
    driver.playTo(42).takeEffects()
    answer(driver, 0, 40, 30, 1_000)
    expect(driver.takeEffects()).toEqual(['load-reach'])
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([30, 0, 0]), at: 2_000 })
    expect(driver.takeEffects()).toEqual(['track pause 0@42', 'seek 30', 'save 0@30'])
    expect(refusalOf(driver)).toBe('uncredited')
    driver.moveTo(30).timer('settle').playTo(35).takeEffects()
    answer(driver, 0, 42, 30, 1_900)
    expect(driver.takeEffects()).toEqual([])
    answer(driver, 0, 35, 35, 3_000)
    expect([driver.takeEffects(), driver.state.reachRequest]).toEqual([[], undefined])
  })

  test('of the video before lead back to it from the next one', () => {
    const driver = playingLimited([30, 0, 0])
    driver.playTo(60).provider('ended')
    driver.send({ type: 'skip' })
    driver.provider('cued').lock().provider('playing').playTo(4).takeEffects()
    answer(driver, 0, 60, 30)
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([30, 0, 0]), at: 2_000 })
    expect(driver.takeEffects().slice(-2)).toEqual(['load 0@30', 'request-lock 0@30'])
    expect(refusalOf(driver)).toBe('uncredited')
  })

  test('limit a session whose task forbids skipping from now on, and free one that allows it', () => {
    const driver = playingDriver()
    driver.playTo(8).send({ type: 'seek', to: 50 })
    driver.timer('settle').takeEffects()
    answer(driver, 0, 50, 8)
    driver.send({ type: 'reach-loaded', watch: makeLimitedWatch([8, 0, 0]), at: 2_000 })
    driver.send({ type: 'skip' })
    expect([driver.takeEffects(), refusalOf(driver)]).toEqual([['load-reach'], 'video'])
    const [video] = makeReportWatch(0, 8).videos
    const { reach: _, ...free } = video!
    const watch = { ...makeReportWatch(0, 8), videos: [free] }
    driver.send({ type: 'report-answered', videoId: 'v0', position: 50, reportedAt: 3_000, watch })
    driver.send({ type: 'skip' })
    expect(driver.takeEffects()).toContain('load 1@0')
  })

  test('of a finished task limit nothing, also after the end of the playlist', () => {
    const driver = playingLimited([60, 60, 50], 2)
    driver.playTo(60).provider('ended')
    expect(driver.state.phase).toBe('completed')
    driver.send({ type: 'go-to', index: 1, to: 59 })
    expect(driver.takeEffects()).toContain('load 1@59')
    const watch = { ...makeReportWatch(1, 60), completed: true, videos: makeReportWatch(1, 60).videos }
    const { reach: _, ...free } = watch.videos[0]!
    driver.send({
      ...{ type: 'report-answered', videoId: 'v1', position: 59, reportedAt: 1 },
      watch: { ...watch, videos: [free] },
    })
    expect(driver.state.reach).toBeUndefined()
  })

  test('about a removed video, and of a session without limits, change nothing', () => {
    const driver = playingDriver()
    const { videos: _, ...watch } = makeReportWatch(0, 8)
    for (const videos of [[], makeReportWatch(0, 8).videos.map(({ reach: _reach, ...video }) => video)])
      driver.send({
        type: 'report-answered',
        videoId: 'v0',
        position: 1,
        reportedAt: 1,
        watch: { ...watch, videos },
      })
    expect([driver.takeEffects(), driver.state.reach]).toEqual([[], undefined])
  })
})

test('no sequence of events plays a part before everything before it', () => {
  const positions = fc.oneof(fc.double({ min: 0, max: 62, noNaN: true }), fc.constantFrom(0, 54, 59.9, 60))
  const reading = positions.map(position => ({ position, duration: 60, rate: 1 }))
  const events = fc.oneof(
    fc.constantFrom<SessionEvent>(
      { type: 'toggle' },
      { type: 'skip' },
      { type: 'finish' },
      { type: 'hidden' },
      { type: 'visible' },
    ),
    positions.map((to): SessionEvent => ({ type: 'seek', to })),
    fc.tuple(fc.nat(2), positions).map(([index, to]): SessionEvent => ({ type: 'go-to', index, to })),
    fc
      .tuple(fc.constantFrom('tick' as const, 'check' as const, 'settle' as const, 'countdown' as const), reading)
      .map(([name, value]): SessionEvent => ({ type: 'timer', name, reading: value })),
  )
  const providerTypes = fc.constantFrom('cued', 'playing', 'paused', 'buffering', 'ended')
  const moves = fc.oneof(
    { weight: 3, arbitrary: events.map(event => ({ event })) },
    { weight: 2, arbitrary: fc.tuple(providerTypes, reading).map(([type, value]) => ({ type, value })) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }).map(seconds => ({ seconds })) },
  )
  let laterVideos = 0
  fc.assert(
    fc.property(fc.array(moves, { minLength: 5, maxLength: 60, size: 'max' }), script => {
      const driver = resume(createLimitedDriver([0, 0, 0]), 0, 0)
      const furthest = [0, 0, 0]
      let checked = 0
      const check = (before: Driver['state']) => {
        const { index, playback, load } = driver.state
        const step = playback.position - before.playback.position
        if (load === before.load && step > 0 && step <= 5 && before.playback.position <= furthest[index]! + 1)
          furthest[index] = Math.max(furthest[index]!, playback.position)
        for (const effect of driver.effects.slice(checked)) {
          if (effect.type === 'seek' && !(effect.to <= furthest[index]! + 1)) throw new Error('a seek skips a part')
          if (effect.type !== 'load') continue
          if (effect.startAt > furthest[effect.index]! + 1) throw new Error('a video begins beyond what is watched')
          if (furthest.slice(0, effect.index).some(end => end < 54)) throw new Error('a video is skipped')
          if (effect.index > 0) laterVideos += 1
        }
        checked = driver.effects.length
      }
      const send = (event: SessionEvent) => {
        const before = driver.state
        driver.send(event)
        check(before)
      }
      for (const move of script) {
        const { load, lockRequest, lock } = driver.state
        if (lock === 'requested') send({ type: 'lock-answered', request: lockRequest, outcome: 'held' })
        if ('event' in move) send(move.event)
        else if ('type' in move) {
          const event = { type: move.type } as never
          send({ type: 'provider', load, event, reading: move.value })
        } else
          for (let second = 1; second <= move.seconds; second += 1) {
            const position = Math.min(60, driver.state.playback.position + 1)
            send({ type: 'timer', name: 'tick', reading: { position, duration: 60, rate: 1 } })
          }
      }
    }),
    { numRuns: 2_000 },
  )
  expect(laterVideos).toBeGreaterThan(100)
})
