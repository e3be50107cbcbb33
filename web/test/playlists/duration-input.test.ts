import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { durationInput, parseDuration } from '../../src/features/playlists/draft/duration-input.ts'

describe('parseDuration', () => {
  test.each([
    ['0:07', 7],
    ['1:05', 65],
    ['12:34', 754],
    [' 90:00 ', 5400],
    ['1:02:03', 3723],
    ['23:59:59', 86_399],
    ['0:12.5', 12.5],
  ])('reads %p as %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBeCloseTo(seconds, 6)
  })

  test.each(['', '7', '1:5', '1:60', '1:60:00', '1:5:00', '-1:00', '1:00:00:00', 'a:bc', '1h 05m', '::', '1:', ':30'])(
    'refuses %p',
    text => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  test('reads a written duration back, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400 }), seconds => {
        expect(parseDuration(durationInput(seconds))).toBe(seconds)
      }),
    )
    fc.assert(
      fc.property(fc.double({ min: 1, max: 86_400, noNaN: true }), seconds => {
        expect(Math.abs((parseDuration(durationInput(seconds)) ?? Number.NaN) - seconds)).toBeLessThanOrEqual(0.5)
      }),
    )
  })

  test('a positive duration is never written as zero', () => {
    expect(durationInput(0.2)).toBe('0:01')
    expect(durationInput(0)).toBe('0:00')
  })
})
