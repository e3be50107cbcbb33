import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cutPage, pageHeaders, readCursor, timeCursor, writeCursor } from '../src/http/paging.ts'

describe('a cursor', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.stringMatching(/^[\w:-]{1,150}$/), (at, id) => {
        expect(readCursor(writeCursor({ at, id }), timeCursor)).toEqual({ at, id })
      }),
    )
  })

  test('needs no encoding in an address', () => {
    fc.assert(fc.property(fc.jsonValue(), value => expect(writeCursor({ value })).toMatch(/^[\w-]+$/)))
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
  ])('%j is refused', cursor => {
    expect(() => readCursor(cursor, timeCursor)).toThrow(expect.objectContaining({ code: 'invalid' }))
  })

  test('may be absent', () => {
    expect(readCursor(undefined, timeCursor)).toBeUndefined()
  })
})

describe('a page', () => {
  test('has at most the requested items, and a cursor only if another page follows', () => {
    const cursorOf = (item: string) => ({ id: item })
    expect(cutPage([], 2, cursorOf)).toEqual({ items: [] })
    expect(cutPage(['a', 'b'], 2, cursorOf)).toEqual({ items: ['a', 'b'] })
    expect(cutPage(['a', 'b', 'c'], 2, cursorOf)).toEqual({ items: ['a', 'b'], next: { id: 'b' } })
  })
})

test('a page has headers for its total and its next cursor, if it has them', () => {
  expect(pageHeaders({})).toEqual({})
  expect(pageHeaders({ total: 0 })).toEqual({ 'X-Total-Count': '0' })
  expect(pageHeaders({ total: 7, next: 0 })).toEqual({ 'X-Total-Count': '7', 'X-Next-Cursor': writeCursor(0) })
})
