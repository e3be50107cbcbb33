import { describe, expect, test } from '@jest/globals'
import { applySessionEvent } from '../../src/features/player/machine/playback-machine.ts'
import type { SessionEvent } from '../../src/features/player/machine/playback-types.ts'
import { createPlayedParts } from '../../src/features/player/session/played-parts.ts'
import { playingDriver } from './_session-driver.ts'

/** A playing session whose readings the test sets. */
function observeSession() {
  let state = playingDriver().state
  let now = 0
  const { parts, observe, closePart } = createPlayedParts(() => now)
  function send(event: SessionEvent) {
    const before = state
    state = applySessionEvent(before, event).state
    observe(before, state)
  }
  return {
    send,
    closePart,
    /** One tick, `ms` after the one before. */
    read(position: number, ms = 1_000) {
      now += ms
      send({ type: 'timer', name: 'tick', reading: { position, duration: 60, rate: 1 } })
    },
    ranges: () => parts.get().map(({ videoId, from, to, at }) => ({ videoId, from, to, at })),
  }
}

describe('the played parts of a session', () => {
  test('grow second by second, and begin anew after a report', () => {
    const session = observeSession()
    session.read(1)
    session.read(2)
    session.closePart()
    session.read(3)
    expect(session.ranges()).toEqual([
      { videoId: 'v0', from: 0, to: 2, at: 2_000 },
      { videoId: 'v0', from: 2, to: 3, at: 3_000 },
    ])
  })

  test.each([
    ['far', 40],
    ['a few seconds', 6],
  ])('leave out a jump ahead (%s)', (_name, target) => {
    const session = observeSession()
    session.read(1)
    session.read(2)
    session.read(target)
    session.read(target + 1)
    expect(session.ranges().map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [target, target + 1],
    ])
  })

  test('leave out what a seek by the viewer jumps over', () => {
    const session = observeSession()
    session.read(2, 2_000)
    session.send({ type: 'seek', to: 5 })
    session.send({ type: 'timer', name: 'settle', reading: { position: 5, duration: 60, rate: 1 } })
    session.read(6)
    for (const { from, to } of session.ranges()) expect(to <= 2 || from >= 5).toBe(true)
  })

  test('include a late reading, because the time has passed', () => {
    const session = observeSession()
    session.read(4, 4_000)
    expect(session.ranges().map(({ from, to }) => [from, to])).toEqual([[0, 4]])
  })

  test('leave out a jump back and continue from there', () => {
    const session = observeSession()
    session.read(5, 5_000)
    session.read(1)
    session.read(2)
    expect(session.ranges().map(({ from, to }) => [from, to])).toEqual([
      [0, 5],
      [1, 2],
    ])
  })
})
