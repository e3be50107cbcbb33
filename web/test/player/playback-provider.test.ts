import { describe, expect, test } from '@jest/globals'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { applySessionEvent } from '../../src/features/player/machine/playback-machine.ts'
import { createDriver, makeSessionPlaylist, playingDriver } from './_session-driver.ts'

describe('the end of a video', () => {
  test('is assumed at a standstill within half a second of it', () => {
    const driver = playingDriver()
    driver.playTo(59.6).timer('check').timer('check')
    expect(driver.takeEffects()).toContain('track ended 0@59.6')
    expect(driver.state.phase).toBe('countdown')
  })

  test('is not assumed at a standstill elsewhere: playback is started again, then the viewer sees a notice', () => {
    const driver = playingDriver()
    driver.playTo(5)
    driver.takeEffects()
    driver.timer('check').timer('check').timer('check')
    expect(driver.takeEffects()).toEqual(['play'])
    driver.timer('check')
    expect(driver.state.note).toBe('stalled')
    driver.moveTo(6).timer('check')
    expect(driver.state.note).toBeUndefined()
  })

  test('happens once, even if the provider reports it twice', () => {
    const driver = playingDriver()
    driver.playTo(60).provider('paused').provider('ended').provider('ended')
    driver.timer('check').provider('ended')
    expect(driver.takeEffects().filter(effect => effect.startsWith('track ended'))).toHaveLength(1)
  })

  test('is not believed the first time in the middle of a video, as after an advertisement', () => {
    const driver = playingDriver()
    driver.playTo(5).provider('ended')
    expect(driver.takeEffects()).toEqual(['play'])
    driver.provider('playing').playTo(8)
    expect(driver.state.phase).toBe('playing')
    driver.provider('ended')
    expect(driver.state.phase).toBe('countdown')
  })

  test('counts if the viewer pauses at the last moment and it is reported late', () => {
    const driver = playingDriver()
    driver.playTo(59.8).send({ type: 'toggle' })
    driver.takeEffects()
    driver.provider('paused').provider('ended')
    expect(driver.takeEffects()).toEqual(['track ended 0@59.8', 'release-lock 0@59.8'])
  })

  test('is not reported again after the session resumes', () => {
    const driver = playingDriver()
    driver.playTo(59.8).send({ type: 'toggle' })
    driver.provider('paused').send({ type: 'toggle' })
    driver.provider('ended').lock('elsewhere')
    expect(driver.state.phase).toBe('elsewhere')
    driver.send({ type: 'continue-here' })
    driver.provider('ended')
    expect(driver.takeEffects().filter(effect => effect.startsWith('track ended'))).toHaveLength(1)
  })

  test('starts a countdown of three seconds, which the skip button shortens', () => {
    const driver = playingDriver()
    const { effects } = applySessionEvent(driver.playTo(60).state, {
      type: 'provider',
      load: driver.state.load,
      event: { type: 'ended' },
      reading: { position: 60, duration: 60, rate: 1 },
    })
    expect(effects).toContainEqual({ type: 'start-timer', name: 'countdown', ms: 1_000, repeat: true })
    driver.provider('ended')
    expect(driver.state).toMatchObject({ phase: 'countdown', countdown: 3 })
    driver.timer('countdown').timer('countdown')
    expect(driver.state).toMatchObject({ phase: 'countdown', countdown: 1, index: 0 })
    driver.timer('countdown')
    expect(driver.state).toMatchObject({ phase: 'starting', index: 1 })
    driver.provider('cued').lock().provider('playing').playTo(60).provider('ended')
    driver.send({ type: 'skip' })
    expect(driver.state).toMatchObject({ phase: 'starting', index: 2 })
  })

  test('is not caused by late events of the previous video', () => {
    const driver = playingDriver()
    const oldLoad = driver.state.load
    driver.send({ type: 'skip' })
    driver.takeEffects()
    for (const event of ['ended', 'playing', 'paused', 'cued'] as const) driver.provider(event, oldLoad)
    driver.provider({ type: 'error', code: 150, unavailable: true, network: false, reason: '' }, oldLoad)
    expect(driver.takeEffects()).toEqual([])
    expect(driver.state).toMatchObject({ phase: 'starting', index: 1, cued: false })
  })

  test('cannot be skipped in the last video', () => {
    const driver = playingDriver(makeSessionPlaylist(1))
    driver.send({ type: 'skip' })
    expect(driver.takeEffects()).toEqual([])
  })
})

describe('a video that fails', () => {
  const makeUnavailableError = (code: number): ProviderEvent => ({
    type: 'error',
    code,
    unavailable: true,
    network: false,
    reason: 'Gone.',
  })

  test('because it is unavailable is reported, named, and skipped after the countdown, without an end', () => {
    for (const code of [100, 101, 150, 153]) {
      const driver = playingDriver()
      driver.playTo(4).provider(makeUnavailableError(code))
      expect(driver.takeEffects()).toEqual(['track pause 0@4', `unavailable 0 ${code}`])
      expect(driver.state).toMatchObject({ phase: 'countdown', note: 'unavailable', reason: 'Gone.' })
      driver.timer('countdown').timer('countdown').timer('countdown')
      expect(driver.state.index).toBe(1)
    }
  })

  test('as the only video leaves the playlist uncompleted', () => {
    const driver = createDriver(makeSessionPlaylist(1))
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.lock().provider(makeUnavailableError(100))
    expect(driver.state.phase).toBe('unplayable')
    expect(driver.takeEffects().join()).not.toContain('playlist_completed')
  })

  test('by the network is never skipped, but loaded again at its position until it works', () => {
    const driver = playingDriver()
    driver.playTo(30)
    driver.takeEffects()
    for (let attempt = 0; attempt < 8; attempt += 1) {
      driver.provider({ type: 'error', code: 2, unavailable: false, network: true, reason: '' })
      driver.timer('reload')
    }
    expect(driver.state).toMatchObject({ index: 0, note: 'unreachable' })
    driver.takeEffects()
    driver.provider('cued').provider('playing')
    expect(driver.takeEffects()).toEqual(['play', 'track play 0@30'])
    driver.playTo(33)
    expect(driver.state).toMatchObject({ failures: 0, note: undefined })
  })

  test('by something else than the network is loaded once more, then skipped', () => {
    const driver = playingDriver()
    const fail = () => driver.provider({ type: 'error', code: 2, unavailable: false, network: false, reason: '' })
    fail()
    expect(driver.state).toMatchObject({ index: 0, phase: 'starting', note: 'failing' })
    driver.timer('reload')
    fail()
    expect(driver.state).toMatchObject({ index: 0, phase: 'countdown', note: 'unavailable' })
  })

  test('by the network and is paused is loaded again on play', () => {
    const driver = playingDriver()
    driver.provider({ type: 'error', code: 2, unavailable: false, network: true, reason: '' })
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['load 0@0', 'request-lock 0@0'])
  })

  test('for another reason is loaded once more and then skipped', () => {
    const driver = playingDriver()
    const error: ProviderEvent = { type: 'error', code: 5, unavailable: false, network: false, reason: 'No.' }
    driver.provider(error).timer('reload')
    driver.takeEffects()
    driver.provider(error)
    expect(driver.takeEffects()).toEqual(['unavailable 0 5'])
  })

  test('because the browser requires a press plays after one', () => {
    const driver = createDriver()
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.provider('cued').lock().provider('blocked')
    expect(driver.state.phase).toBe('blocked')
    driver.takeEffects()
    driver.send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['play'])
  })
})
