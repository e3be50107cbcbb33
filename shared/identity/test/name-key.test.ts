import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compareByName, nameKey } from '../src/name-key.ts'

const codePoints = (text: string) => Array.from(text.toWellFormed(), character => character.codePointAt(0)!)

/** The oracle: the first differing code point decides; a prefix comes before the longer text. */
function compareCodePoints(a: string, b: string): number {
  const [pointsOfA, pointsOfB] = [codePoints(a), codePoints(b)]
  const index = pointsOfA.findIndex((codePoint, index) => codePoint !== pointsOfB[index])
  if (index < 0) return pointsOfA.length - pointsOfB.length
  return index < pointsOfB.length ? pointsOfA[index]! - pointsOfB[index]! : 1
}

const person = fc.record({
  name: fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'ä', 'Z', 'ﬀ', '\uff21', '\ue000', '😀'),
      fc.nat(0x10ffff).map(String.fromCodePoint),
    ),
  }),
  id: fc.stringMatching(/^[0-9a-f]{1,4}$/),
})

test('names are ordered by the code points of their keys, then by id', () => {
  fc.assert(
    fc.property(person, person, (first, second) => {
      const expected =
        compareCodePoints(nameKey(first.name), nameKey(second.name)) || compareCodePoints(first.id, second.id)
      expect(Math.sign(compareByName(first, second))).toBe(Math.sign(expected))
    }),
    { numRuns: 1_000 },
  )
})

test('the order ignores case and accents; characters beyond U+FFFF come after all others', () => {
  expect(compareByName({ id: '1', name: 'Änne' }, { id: '1', name: 'anne' })).toBe(0)
  expect(compareByName({ id: '1', name: '\ue000' }, { id: '1', name: '😀' })).toBeLessThan(0)
  expect(compareByName({ id: '1', name: 'Ann' }, { id: '2', name: 'ann' })).toBeLessThan(0)
})
