import { describe, expect, test } from '@jest/globals'
import { createDriver, playingDriver, statusOf } from './_session-driver.ts'

describe('the lock', () => {
  test('nothing plays before the lock is answered, however ready the video is', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('ready').provider('cued').timer('check').timer('check').timer('check').timer('check')
    expect(driver.take()).not.toContain('play')
    driver.lock()
    expect(driver.take()).toEqual(['play'])
  })

  test('a provider that starts by itself is stopped until the lock is answered', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    driver.take()
    driver.provider('playing')
    expect(driver.take()).toEqual(['pause'])
    driver.provider('paused').lock().provider('playing')
    expect(driver.take()).toEqual(['play', 'track play 0@0'])
  })

  test('held by another session: paused, and Continue here takes it over and starts where the other one is', () => {
    const driver = playingDriver()
    driver.playTo(5).send({ type: 'lock-lost' })
    expect(driver.take()).toEqual(['pause', 'track pause 0@5', 'request-lock 0@5'])
    driver.lock('elsewhere')
    expect(driver.state.phase).toBe('elsewhere')
    expect(driver.timers.size).toBe(0)
    driver.take()
    driver.send({ type: 'toggle' })
    expect(driver.take()).toEqual([])
    driver.send({ type: 'continue-here' })
    driver.lock()
    expect(driver.take()).toEqual(['request-lock 0@5 take-over', 'check-status'])
    driver.send({ type: 'status-answered', status: statusOf({ is_monitoring: false }) })
    driver.provider('cued').lock()
    expect(driver.take()).toEqual(['load 1@25', 'request-lock 1@25', 'play'])
  })

  test('a lock that had only run out is taken again, what could not be saved is saved, and it plays on', () => {
    const driver = playingDriver()
    driver.playTo(5).send({ type: 'lock-lost' })
    driver.provider('paused')
    driver.take()
    driver.lock()
    expect(driver.take()).toEqual(['save 0@5', 'play'])
    driver.provider('playing')
    expect(driver.take()).toEqual(['track play 0@5'])
  })

  test('a late refusal after the lock was given back changes nothing', () => {
    const driver = playingDriver()
    driver.send({ type: 'toggle' })
    driver.take()
    driver.send({ type: 'lock-lost' })
    expect(driver.take()).toEqual([])
    expect(driver.state.phase).toBe('paused')
  })

  test('an answer to an earlier question does not count', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    const first = driver.state.lockRequest
    driver.send({ type: 'toggle' })
    driver.send({ type: 'toggle' })
    driver.take()
    driver.lock('held', first)
    expect(driver.take()).toEqual([])
    driver.lock()
    expect(driver.take()).toEqual(['play'])
  })

  test('without an answer it is asked again, with growing waits and as the server asks', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    const waits: number[] = []
    for (let tries = 0; tries < 3; tries += 1) {
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
    driver.take()
    driver.send({ type: 'online' })
    driver.lock()
    expect(driver.take()).toEqual(['request-lock 0@0', 'play'])
    expect(driver.state.note).toBeUndefined()
  })

  test('a refusal for good stands until the viewer tries again', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued')
    driver.send({ type: 'lock-answered', request: driver.state.lockRequest, outcome: 'refused', detail: 'Not yours.' })
    expect(driver.state).toMatchObject({ phase: 'refused', reason: 'Not yours.' })
    driver.take()
    driver.send({ type: 'try-again' })
    driver.lock()
    expect(driver.take()).toEqual(['request-lock 0@0', 'play'])
  })
})
