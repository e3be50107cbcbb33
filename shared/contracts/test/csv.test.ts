import { describe, expect, test } from '@jest/globals'
import { csvLine } from '../src/csv.ts'

describe('a line of CSV', () => {
  test.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@x', `"'@x"`],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['plain = text', 'plain = text'],
  ])('writes %j as %s', (text, cell) => {
    expect(csvLine([text, -5, null])).toBe(`${cell},-5,\r\n`)
  })
})
