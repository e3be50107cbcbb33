import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pageHeaders, readCursor, timeCursor, writeCursor } from '../src/http/paging.ts'

describe('a cursor', () => {
  test('leads back to where it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.stringMatching(/^[\w:-]{1,150}$/), (at, id) => {
        expect(readCursor(writeCursor({ at, id }), timeCursor)).toEqual({ at, id })
      }),
    )
  })

  test('goes into an address as it is', () => {
    fc.assert(fc.property(fc.jsonValue(), place => expect(writeCursor({ place })).toMatch(/^[\w-]+$/)))
  })

  test.each([
    '',
    'x',
    '1.a',
    '{"$gt":""}',
    'null',
    writeCursor(null),
    writeCursor([1, 'a']),
    writeCursor({ at: -1, id: 'a' }),
    writeCursor({ at: 1.5, id: 'a' }),
    writeCursor({ at: '1', id: 'a' }),
    writeCursor({ at: 9e15, id: 'a' }),
    writeCursor({ at: 1, id: '' }),
    writeCursor({ at: 1, id: { $gt: '' } }),
    writeCursor({ at: 1, id: 'a b' }),
    writeCursor({ at: 1, id: 'a'.repeat(151) }),
  ])('%j is none', cursor => {
    expect(() => readCursor(cursor, timeCursor)).toThrow(expect.objectContaining({ code: 'invalid' }))
  })

  test('that is not given is no place', () => {
    expect(readCursor(undefined, timeCursor)).toBeUndefined()
  })
})

test('the headers of a page tell what is known', () => {
  expect(pageHeaders({})).toEqual({})
  expect(pageHeaders({ total: 0 })).toEqual({ 'X-Total-Count': '0' })
  expect(pageHeaders({ total: 7, next: 0 })).toEqual({ 'X-Total-Count': '7', 'X-Next-Cursor': writeCursor(0) })
})
