import { describe, expect, test } from '@jest/globals'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { createDriver, playingDriver, playlistOf } from './_session-driver.ts'

describe('the end of a video', () => {
  test('standing still within half a second of the end is the end', () => {
    const driver = playingDriver()
    driver.playTo(59.6).timer('check').timer('check')
    expect(driver.takeEffects()).toContain('track ended 0@59.6')
    expect(driver.state.phase).toBe('countdown')
  })

  test('standing still elsewhere is not the end: playback is started again, and then the viewer sees a notice', () => {
    const driver = playingDriver()
    driver.playTo(5)
    driver.takeEffects()
    driver.timer('check').timer('check').timer('check')
    expect(driver.takeEffects()).toEqual(['play'])
    driver.timer('check')
    expect(driver.state.note).toBe('stalled')
    driver.at(6).timer('check')
    expect(driver.state.note).toBeUndefined()
  })

  test('reported twice, it happens once', () => {
    const driver = playingDriver()
    driver.playTo(60).provider('paused').provider('ended').provider('ended')
    driver.timer('check').provider('ended')
    expect(driver.takeEffects().filter(word => word.startsWith('track ended'))).toHaveLength(1)
  })

  test('an ended in the middle, as after an advertisement, is not believed the first time', () => {
    const driver = playingDriver()
    driver.playTo(5).provider('ended')
    expect(driver.takeEffects()).toEqual(['play'])
    driver.provider('playing').playTo(8)
    expect(driver.state.phase).toBe('playing')
    driver.provider('ended')
    expect(driver.state.phase).toBe('countdown')
  })

  test('paused by the viewer at the last moment and reported late, it still ends', () => {
    const driver = playingDriver()
    driver.playTo(59.8).send({ type: 'toggle' })
    driver.takeEffects()
    driver.provider('paused').provider('ended')
    expect(driver.takeEffects()).toEqual(['track ended 0@59.8', 'release-lock 0@59.8'])
  })

  test('a reported end is not reported again after the session resumes', () => {
    const driver = playingDriver()
    driver.playTo(59.8).send({ type: 'toggle' })
    driver.provider('paused').send({ type: 'toggle' })
    driver.provider('ended').lock('elsewhere')
    expect(driver.state.phase).toBe('elsewhere')
    driver.send({ type: 'continue-here' })
    driver.provider('ended')
    expect(driver.takeEffects().filter(word => word.startsWith('track ended'))).toHaveLength(1)
  })

  test('the countdown takes three seconds, or the skip button', () => {
    const driver = playingDriver()
    driver.playTo(60).provider('ended')
    driver.timer('countdown').timer('countdown')
    expect(driver.state).toMatchObject({ phase: 'countdown', countdown: 1, index: 0 })
    driver.timer('countdown')
    expect(driver.state).toMatchObject({ phase: 'starting', index: 1 })
    driver.provider('cued').lock().provider('playing').playTo(60).provider('ended')
    driver.send({ type: 'skip' })
    expect(driver.state).toMatchObject({ phase: 'starting', index: 2 })
  })

  test('late events of the previous video are ignored', () => {
    const driver = playingDriver()
    const old = driver.state.load
    driver.send({ type: 'skip' })
    driver.takeEffects()
    for (const event of ['ended', 'playing', 'paused', 'cued'] as const) driver.provider(event, old)
    driver.provider({ type: 'error', code: 150, unavailable: true, network: false, reason: '' }, old)
    expect(driver.takeEffects()).toEqual([])
    expect(driver.state).toMatchObject({ phase: 'starting', index: 1, cued: false })
  })

  test('the last video has no next to skip to', () => {
    const driver = playingDriver(playlistOf(1))
    driver.send({ type: 'skip' })
    expect(driver.takeEffects()).toEqual([])
  })
})

describe('unavailable videos', () => {
  const unavailable = (code: number): ProviderEvent => ({
    type: 'error',
    code,
    unavailable: true,
    network: false,
    reason: 'Gone.',
  })

  test('an unavailable video is reported, named and skipped after the countdown, without an ended', () => {
    for (const code of [100, 101, 150, 153]) {
      const driver = playingDriver()
      driver.playTo(4).provider(unavailable(code))
      expect(driver.takeEffects()).toEqual(['track pause 0@4', `unavailable 0 ${code}`])
      expect(driver.state).toMatchObject({ phase: 'countdown', note: 'unavailable', reason: 'Gone.' })
      driver.timer('countdown').timer('countdown').timer('countdown')
      expect(driver.state.index).toBe(1)
    }
  })

  test('a playlist of which nothing can play is not completed', () => {
    const driver = createDriver(playlistOf(1))
    driver.send({ type: 'start' })
    driver.send({ type: 'status-answered', status: undefined })
    driver.lock().provider(unavailable(100))
    expect(driver.state.phase).toBe('unplayable')
    expect(driver.takeEffects().join()).not.toContain('playlist_completed')
  })

  test('a network failure is never skipped: it is loaded again where it was, for as long as it takes', () => {
    const driver = playingDriver()
    driver.playTo(30)
    driver.takeEffects()
    for (let tries = 0; tries < 8; tries += 1) {
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

  test('paused while unreachable, it is loaded again on play', () => {
    const driver = playingDriver()
    driver.provider({ type: 'error', code: 2, unavailable: false, network: true, reason: '' })
    driver.send({ type: 'toggle' })
    driver.takeEffects()
    driver.send({ type: 'toggle' })
    expect(driver.takeEffects()).toEqual(['load 0@0', 'request-lock 0@0'])
  })

  test('any other failure is tried once more and then skipped', () => {
    const driver = playingDriver()
    const error: ProviderEvent = { type: 'error', code: 5, unavailable: false, network: false, reason: 'No.' }
    driver.provider(error).timer('reload')
    driver.takeEffects()
    driver.provider(error)
    expect(driver.takeEffects()).toEqual(['unavailable 0 5'])
  })

  test('a browser that wants a press gets one', () => {
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
