import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { describePasswordProblem } from '../../src/actions/require-strong-password.ts'
import { findPasswordProblem } from '../../src/rules/password.ts'

const owner = { name: 'First Admin', email: 'root@training.example' }

describe('a new password', () => {
  test.each([
    'correct horse 9',
    'another horse 10',
    'my watchline works well',
    'administration of 3 teams',
    'p4ß wörter sind lang',
  ])('%s is accepted', password => {
    expect(describePasswordProblem(password, owner)).toBeUndefined()
  })

  test.each([
    'password',
    'PASSWORD1',
    'qwertyuiop',
    '1234567890',
    'watchline',
    'watchline123',
    'Watchline-Demo',
    'watchline!!!!!!!!!!!',
    'watchline12345678',
    'root@training.example',
    'ROOT2026training',
    'firstadmin!1',
    'adminfirst77',
  ])('%s is refused', password => {
    expect(describePasswordProblem(password, owner)).toMatch(/^Password /)
  })

  test('made of known words in any order, case and punctuation is refused', () => {
    const words = fc.constantFrom('watchline', 'first', 'admin', 'root', 'training', 'example')
    const cased = fc.tuple(words, fc.boolean()).map(([word, upper]) => (upper ? word.toUpperCase() : word))
    const separators = fc.constantFrom('', ' ', '-', '.', '!!', '_7')
    fc.assert(
      fc.property(fc.array(fc.tuple(cased, separators), { minLength: 1, maxLength: 5 }), parts => {
        expect(findPasswordProblem(parts.flat().join(''), owner, () => false)).toBeDefined()
      }),
    )
  })

  test('keeps its value with known words around it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[2-9]{8,20}$/), secret => {
        expect(findPasswordProblem(`watchline ${secret} root`, owner, () => false)).toBeUndefined()
        expect(findPasswordProblem(`watchline ${secret} root`, owner, word => word === secret)).toMatch(/most common/)
      }),
    )
  })
})
