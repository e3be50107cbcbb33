import { afterEach, describe, expect, test } from '@jest/globals'
import { cleanup, render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { WatchStrip } from '../../src/ui/watch-strip.tsx'
import { coveredPercent, describeStrip, missingRanges, normaliseRanges } from '../../src/ui/watch-strip-text.ts'

afterEach(cleanup)

describe('the strip in words', () => {
  test.each([
    [[], 250, '0% watched'],
    [[{ from: 0, to: 250 }], 250, '100% watched'],
    [
      [
        { from: 0, to: 130 },
        { from: 185, to: 250 },
      ],
      250,
      '78% watched; missing 2:10 to 3:05',
    ],
    [[{ from: 0, to: 999.9 }], 1_000, '100% watched'],
    [[{ from: 0, to: 998 }], 1_000, '99% watched; missing 16:38 to 16:40'],
  ])('%j of %d s', (ranges, length, words) => {
    expect(describeStrip(ranges, length)).toBe(words)
  })

  test('names three gaps and counts the rest', () => {
    const ranges = [10, 30, 50, 70, 90].map(from => ({ from, to: from + 10 }))
    expect(describeStrip(ranges, 110)).toBe('45% watched; missing 0:00 to 0:10, 0:20 to 0:30, 0:40 to 0:50 and 3 more')
  })

  test('stand as the alternative of the picture, with playhead and comments', () => {
    render(
      <WatchStrip label="Fire safety" length={200} ranges={[{ from: 0, to: 100 }]} playhead={100} ticks={[5, 5]} />,
    )
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
      'Fire safety: 50% watched; missing 1:40 to 3:20; at 1:40 of 3:20; 2 comments',
    )
    expect(screen.getByText('50%')).toBeTruthy()
  })

  test('believe the server’s percent', () => {
    render(<WatchStrip length={200} ranges={[{ from: 0, to: 100 }]} percent={51.4} />)
    expect(screen.getByRole('img').getAttribute('aria-label')).toMatch(/^51% watched/)
  })
})

describe('ranges', () => {
  const length = 600
  const range = fc
    .tuple(fc.integer({ min: -50, max: 700 }), fc.integer({ min: -50, max: 700 }))
    .map(([from, to]) => ({ from, to }))
  const ranges = fc.array(range, { maxLength: 12 })

  test('normalised are in order, apart and inside the video, however they came', () => {
    fc.assert(
      fc.property(ranges, given => {
        const normal = normaliseRanges(given, length)
        normal.forEach(({ from, to }, index) => {
          expect(from).toBeGreaterThanOrEqual(index === 0 ? 0 : (normal[index - 1]?.to ?? 0) + 1)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(length)
        })
        expect(normaliseRanges([...given].reverse(), length)).toEqual(normal)
      }),
    )
  })

  test('covered and missing make up the whole, and only the whole is 100%', () => {
    fc.assert(
      fc.property(ranges, given => {
        const sum = (list: { from: number; to: number }[]) => list.reduce((total, { from, to }) => total + to - from, 0)
        const missing = missingRanges(given, length)
        expect(sum(normaliseRanges(given, length)) + sum(missing)).toBe(length)
        expect(coveredPercent(given, length) === 100).toBe(missing.length === 0)
      }),
    )
  })
})
