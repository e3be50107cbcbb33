import { expect, test } from '@jest/globals'
import { matchesSearch } from '../src/search-text.ts'

test.each([
  ['jose', 'José Müller', true],
  ['MÜLL', 'jose muller', true],
  ['Muller ', 'Jose\u0301 Mu\u0308ller', true],
  ['', 'Anybody', true],
  ['maria', 'José Müller', false],
])('a search for “%s” in “%s”: %s', (search, name, isFound) => {
  expect(matchesSearch(search, name)).toBe(isFound)
})

test('a search looks into each text by itself', () => {
  expect(matchesSearch('one@', 'Trainee One', 'one@demo.local')).toBe(true)
  expect(matchesSearch('one one', 'Trainee One', 'one@demo.local')).toBe(false)
})
