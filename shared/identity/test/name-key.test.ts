import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  compareByName,
  listOrderKey,
  nameKey,
  orderKey,
  searchPattern,
  sortByName,
  unmarkedNumber,
} from '../src/name-key.ts'

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
      fc.constantFrom('a', 'ä', 'Z', 'ﬀ', '\uff21', '\ue000', '😀', '0', '7', '10'),
      fc.nat(0x10ffff).map(String.fromCodePoint),
    ),
  }),
  id: fc.stringMatching(/^[0-9a-f]{1,4}$/),
})

test('names are ordered by the code points of their keys, then by id', () => {
  fc.assert(
    fc.property(person, person, (first, second) => {
      const expected =
        compareCodePoints(orderKey(first.name), orderKey(second.name)) || compareCodePoints(first.id, second.id)
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

test('numbers in names are ordered by their value', () => {
  const names = [
    'Trainee',
    'Trainee 1',
    'Trainee 2',
    'Trainee 9',
    'Trainee 10',
    'Trainee 10b',
    'Trainee 100',
    'Trainee A',
  ]
  const reversed = names.toReversed().map((name, index) => ({ id: String(index), name }))
  expect(reversed.toSorted(compareByName).map(({ name }) => name)).toEqual(names)
  expect(sortByName(reversed).map(({ name }) => name)).toEqual(names)
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (a, b) => {
      const order = compareByName({ id: '', name: `Trainee ${a} b` }, { id: '', name: `Trainee ${b} b` })
      expect(Math.sign(order)).toBe(Math.sign(a - b))
    }),
  )
})

test('a sorted list has the order of the comparison', () => {
  const item = fc.record({ id: fc.string({ maxLength: 3 }), name: fc.string({ unit: 'grapheme', maxLength: 4 }) })
  fc.assert(fc.property(fc.array(item), items => expect(sortByName(items)).toEqual(items.toSorted(compareByName))))
})

test('the key of a list is stored as it is, although the cut may halve a character', () => {
  const halved = `${'x'.repeat(199)}😀`
  expect(listOrderKey(halved)).toBe(`${'x'.repeat(199)}\ufffd`)
  expect(listOrderKey('Trainee 9')).toBe(orderKey('Trainee 9'))
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 190, maxLength: 210 }), text => {
      expect(listOrderKey(text).isWellFormed()).toBe(true)
      expect(listOrderKey(text).length).toBeLessThanOrEqual(200)
    }),
  )
})

test('a search finds the same names in stored keys, old and new, as in the name itself', () => {
  const digitText = fc.string({ unit: fc.constantFrom('a', ' ', '0', '1', '2', '.', '(') })
  fc.assert(
    fc.property(digitText, digitText, (name, search) => {
      const isFound = nameKey(name).includes(nameKey(search))
      const pattern = new RegExp(searchPattern(search))
      expect(pattern.test(nameKey(name))).toBe(isFound)
      expect(pattern.test(orderKey(name))).toBe(isFound)
    }),
  )
})

test('stored keys of earlier versions are recognised', () => {
  fc.assert(fc.property(fc.string(), name => expect(unmarkedNumber.test(orderKey(name))).toBe(false)))
  for (const name of ['Trainee 10', '7 of 9']) expect(unmarkedNumber.test(nameKey(name))).toBe(true)
})
