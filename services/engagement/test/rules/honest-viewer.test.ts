import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { summarise } from '../../src/rules/summary.ts'
import { plainViewing, simulateViewing, type Viewing, type ViewingResult } from './_viewer.ts'

const lengths = [10, 50, 99, 100, 120, 600, 3_601]

function computeShare({ state }: ViewingResult, duration: number): number {
  const watched = state.videos['p:video']?.intervals ?? []
  return watched.reduce((sum, [from, to]) => sum + to - from, 0) / duration
}

function expectFullCredit(viewing: Viewing) {
  const viewed = simulateViewing(viewing)
  expect(computeShare(viewed, viewing.duration)).toBeGreaterThanOrEqual(0.99)
  expect(viewed.completed).toEqual(['p:video'])
  const video = viewed.state.videos['p:video']!
  expect(video.notes).toEqual({})
  expect(video.watchTime).toBeLessThanOrEqual(viewed.heldS * viewing.maxRate + 3 + 1e-6)
}

describe('an honest viewer', () => {
  test.each(lengths)('of a video of %d s gets everything credited', duration => {
    expectFullCredit({ ...plainViewing, duration })
    expect(summarise(simulateViewing({ ...plainViewing, duration }).state.videos['p:video'], duration)).toMatchObject({
      completionRate: 100,
      watchTime: duration,
      missing: [],
      notes: [],
      completed: true,
    })
  })

  test.each(lengths)('of a video of %d s gets everything credited when reports take 25 s', duration => {
    expectFullCredit({ ...plainViewing, duration, latencies: [25], serial: false })
  })

  test.each(lengths)(
    'of a video of %d s gets everything credited when the release arrives long before the last report',
    duration => {
      expectFullCredit({ ...plainViewing, duration, latencies: [1, 1, 25], serial: false, releaseLatency: 0 })
      expectFullCredit({
        ...plainViewing,
        duration,
        latencies: [25],
        serial: false,
        releaseLatency: 0,
        stoppedAfter: 600,
      })
    },
  )

  test('counts as elsewhere until the service resolves the lock interval', () => {
    const viewing: Viewing = { ...plainViewing, duration: 10, latencies: [25], serial: false, stoppedAfter: 600 }
    expect(computeShare(simulateViewing({ ...viewing, resolvesIntervals: false }), 10)).toBe(0)
    expect(computeShare(simulateViewing({ ...viewing, resolvesIntervals: true }), 10)).toBe(1)
  })

  test('gets at most the bank’s capacity when reports queue for more than five minutes', () => {
    const share = computeShare(simulateViewing({ ...plainViewing, duration: 3_601, latencies: [25] }), 3_601)
    expect(share).toBeGreaterThan(0.4)
    expect(share).toBeLessThan(0.6)
  })

  test.each(lengths)('of a video of %d s gets everything credited after a break of a day half-way', duration => {
    expectFullCredit({ ...plainViewing, duration, pauses: [{ at: 0.5, length: 20 * 3600, signsInAgain: false }] })
    expectFullCredit({ ...plainViewing, duration, pauses: [{ at: 0.5, length: 20 * 3600, signsInAgain: true }] })
  })

  test.each(lengths)(
    'of a video of %d s gets everything credited without `ended` and with a last position past the end',
    duration => {
      expectFullCredit({ ...plainViewing, duration, end: 'playing', past: 1.9 })
      expectFullCredit({ ...plainViewing, duration, end: 'pause', past: 0.3 })
    },
  )

  test('gets at least 99 % at any allowed rate, with any pauses, clocks and delays', () => {
    const pause = fc.record({
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      length: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 600, max: 60_000 })),
      signsInAgain: fc.boolean(),
    })
    const viewings = fc
      .record({
        duration: fc.constantFrom(10, 10, 10, 50, 50, 50, 99, 99, 99, 100, 100, 100, 120, 120, 120, 600, 600, 3_601),
        rates: fc.constantFrom([1, 1], [1, 1], [1, 1], [0.5, 1], [1.5, 2], [2, 2], [1, 2]),
        pauses: fc.array(pause, { maxLength: 4 }),
        latencies: fc.array(fc.double({ min: 0.01, max: 25, noNaN: true }), { minLength: 1, maxLength: 8 }),
        serial: fc.boolean(),
        lockLatency: fc.double({ min: 0, max: 25, noNaN: true }),
        releaseLatency: fc.double({ min: 0, max: 25, noNaN: true }),
        stoppedAfter: fc.double({ min: 0, max: 900, noNaN: true }),
        resolvesIntervals: fc.constant(true),
        clockOffset: fc.constantFrom(0, 0, -7_200, 3e8),
        end: fc.constantFrom('ended' as const, 'playing' as const, 'pause' as const),
        past: fc.double({ min: 0, max: 2, noNaN: true }),
      })
      .map(({ rates: [rate, maxRate], ...fields }): Viewing => {
        const viewing = { ...fields, rate: rate!, maxRate: maxRate! }
        // Reports slower than the playback itself would be an outage, not a delay.
        const mean = fields.latencies.reduce((sum, latency) => sum + latency, 0) / fields.latencies.length
        const bearable = Math.min(1, 9 / rate! / mean)
        return {
          ...viewing,
          latencies: fields.serial ? fields.latencies.map(latency => latency * bearable) : fields.latencies,
          // After a new sign-in, delayed reports of the old session count as elsewhere.
          pauses: fields.pauses.map(stop => ({ ...stop, signsInAgain: stop.signsInAgain && stop.length >= 600 })),
        }
      })
    fc.assert(fc.property(viewings, expectFullCredit), { numRuns: 12_000 })
  })
})
