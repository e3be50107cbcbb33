import { afterEach, describe, expect, test } from '@jest/globals'
import { cleanup, render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { WatchStrip } from '../../../src/ui/progress/watch-strip.tsx'
import {
  coveredPercent,
  describeStrip,
  missingRanges,
  normaliseRanges,
} from '../../../src/ui/progress/watch-strip-text.ts'

afterEach(cleanup)

describe('the text of a watch strip', () => {
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
  ])('%j of %d s is “%s”', (ranges, length, text) => {
    expect(describeStrip(ranges, length)).toBe(text)
  })

  test('names three gaps and counts the others', () => {
    const ranges = [10, 30, 50, 70, 90].map(from => ({ from, to: from + 10 }))
    expect(describeStrip(ranges, 110)).toBe('45% watched; missing 0:00 to 0:10, 0:20 to 0:30, 0:40 to 0:50 and 3 more')
  })

  test('is the image’s alternative text, with playhead and comments', () => {
    render(
      <WatchStrip label="Fire safety" length={200} ranges={[{ from: 0, to: 100 }]} playhead={100} ticks={[5, 5]} />,
    )
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
      'Fire safety: 50% watched; missing 1:40 to 3:20; at 1:40 of 3:20; 2 comments',
    )
    expect(screen.getByText('50%')).toBeTruthy()
  })

  test('uses the server’s percentage', () => {
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

  test('are ordered, disjoint and inside the video after normalising, whatever the input', () => {
    fc.assert(
      fc.property(ranges, input => {
        const normalised = normaliseRanges(input, length)
        normalised.forEach(({ from, to }, index) => {
          expect(from).toBeGreaterThanOrEqual(index === 0 ? 0 : (normalised[index - 1]?.to ?? 0) + 1)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(length)
        })
        expect(normaliseRanges([...input].reverse(), length)).toEqual(normalised)
      }),
    )
  })

  test('cover the whole together with the missing ones, and only the whole is 100%', () => {
    fc.assert(
      fc.property(ranges, input => {
        const sum = (list: { from: number; to: number }[]) => list.reduce((total, { from, to }) => total + to - from, 0)
        const missing = missingRanges(input, length)
        expect(sum(normaliseRanges(input, length)) + sum(missing)).toBe(length)
        expect(coveredPercent(input, length) === 100).toBe(missing.length === 0)
      }),
    )
  })
})
