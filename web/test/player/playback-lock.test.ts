import { describe, expect, test } from '@jest/globals'
import { createDriver, makeSessionStatus, playingDriver } from './_session-driver.ts'

describe('the monitoring lock', () => {
  test('is acquired before anything plays, however ready the video is', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('ready').provider('cued').timer('check').timer('check').timer('check').timer('check')
    expect(driver.takeEffects()).not.toContain('play')
    driver.lock()
    expect(driver.takeEffects()).toEqual(['play'])
  })

  test('pauses a provider that starts before the answer', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    driver.takeEffects()
    driver.provider('playing')
    expect(driver.takeEffects()).toEqual(['pause'])
    driver.provider('paused').lock().provider('playing')
    expect(driver.takeEffects()).toEqual(['play', 'track play 0@0'])
  })

  test('pauses the player if another session holds it; “Continue here” takes it over at that session’s position', () => {
    const driver = playingDriver()
    driver.playTo(5).send({ type: 'lock-lost' })
    expect(driver.takeEffects()).toEqual(['pause', 'track pause 0@5', 'request-lock 0@5'])
    driver.lock('elsewhere')
    expect(driver.state.phase).toBe('elsewhere')
    expect(driver.timers.size).toBe(0)
    driver.takeEffects()
    driver.send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual([])
    driver.send({ type: 'continue-here' })
    driver.lock()
    expect(driver.takeEffects()).toEqual(['request-lock 0@5 take-over', 'check-status'])
    driver.send({ type: 'status-answered', status: makeSessionStatus({ is_monitoring: false }) })
    driver.provider('cued').lock()
    expect(driver.takeEffects()).toEqual(['load 1@25', 'request-lock 1@25', 'play'])
  })

  test('is acquired again after it expired; the position is saved and playback continues', () => {
    const driver = playingDriver()
    driver.playTo(5).send({ type: 'lock-lost' })
    driver.provider('paused')
    driver.takeEffects()
    driver.lock()
    expect(driver.takeEffects()).toEqual(['save 0@5', 'play'])
    driver.provider('playing')
    expect(driver.takeEffects()).toEqual(['track play 0@5'])
  })

  test('is not affected by a late refusal after its release', () => {
    const driver = playingDriver()
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.send({ type: 'lock-lost' })
    expect(driver.takeEffects()).toEqual([])
    expect(driver.state.phase).toBe('paused')
  })

  test('ignores the answer to an earlier request', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    const firstRequest = driver.state.lockRequest
    driver.send({ type: 'toggle' })
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.lock('held', firstRequest)
    expect(driver.takeEffects()).toEqual([])
    driver.lock()
    expect(driver.takeEffects()).toEqual(['play'])
  })

  test('is requested again without an answer, with growing waits and after Retry-After', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    const waits: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1) {
      driver.effects.length = 0
      driver.lock('unanswered')
      waits.push(
        ...driver.effects.flatMap(effect =>
          effect.type === 'start-timer' && effect.name === 'lock-retry' ? [effect.ms] : [],
        ),
      )
      driver.timer('lock-retry')
    }
    expect(waits).toEqual([1000, 2000, 4000])
    driver.effects.length = 0
    driver.send({
      type: 'lock-answered',
      request: driver.state.lockRequest,
      outcome: 'unanswered',
      retryAfterMs: 20_000,
    })
    expect(driver.effects).toContainEqual(expect.objectContaining({ name: 'lock-retry', ms: 20_000 }))
    expect(driver.state.note).toBe('waiting-for-server')
    driver.takeEffects()
    driver.send({ type: 'online' })
    driver.lock()
    expect(driver.takeEffects()).toEqual(['request-lock 0@0', 'play'])
    expect(driver.state.note).toBeUndefined()
  })

  test('stays refused until the viewer tries again', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    driver.send({ type: 'lock-answered', request: driver.state.lockRequest, outcome: 'refused', detail: 'Not yours.' })
    expect(driver.state).toMatchObject({ phase: 'refused', reason: 'Not yours.' })
    driver.takeEffects()
    driver.send({ type: 'try-again' })
    driver.lock()
    expect(driver.takeEffects()).toEqual(['request-lock 0@0', 'play'])
  })
})
