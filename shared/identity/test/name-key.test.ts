import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compareByName, nameKey } from '../src/name-key.ts'

const codePoints = (text: string) => Array.from(text.toWellFormed(), character => character.codePointAt(0)!)

/** The oracle: the first code point that differs decides, then the shorter text comes first. */
function compareCodePoints(first: string, second: string): number {
  const [one, two] = [codePoints(first), codePoints(second)]
  const at = one.findIndex((codePoint, index) => codePoint !== two[index])
  if (at < 0) return one.length - two.length
  return at < two.length ? one[at]! - two[at]! : 1
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

test('case and accents do not count; a character beyond U+FFFF comes after one below', () => {
  expect(compareByName({ id: '1', name: 'Änne' }, { id: '1', name: 'anne' })).toBe(0)
  expect(compareByName({ id: '1', name: '\ue000' }, { id: '1', name: '😀' })).toBeLessThan(0)
  expect(compareByName({ id: '1', name: 'Ann' }, { id: '2', name: 'ann' })).toBeLessThan(0)
})
