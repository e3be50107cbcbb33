import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
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
    ['safe;=1+1', `"safe;'=1+1"`],
    ['safe; @x', `"safe;' @x"`],
    ['two\n=1+1', `"two\n'=1+1"`],
    ['a|-1', `"a|'-1"`],
    [' =1+1', `"' =1+1"`],
    ['"=1+1', `"'""=1+1"`],
    ['No. 5; 6', 'No. 5; 6'],
    ['＝1+1', `"'＝1+1"`],
    ['＋1', `"'＋1"`],
    ['－1', `"'－1"`],
    ['＠x', `"'＠x"`],
    ['\u00a0=1+1', `"'\u00a0=1+1"`],
    ['\u3000=1+1', `"'\u3000=1+1"`],
    ['\u200b=1+1', `"'\u200b=1+1"`],
    ['\ufeff=1+1', `"'\ufeff=1+1"`],
    ['\u0001=1+1', `"'\u0001=1+1"`],
    ['safe；＝1+1', `"safe；'＝1+1"`],
    ['safe;\u00a0＝1+1', `"safe;'\u00a0＝1+1"`],
    ['\r\n=1', `"'\r\n'=1"`],
    ['研修＝必須', '研修＝必須'],
  ])('writes %j as %s', (text, cell) => {
    expect(csvLine([text, -5, null])).toBe(`${cell},-5,\r\n`)
  })
})

test('no text becomes a formula, whatever separator a spreadsheet uses', () => {
  const hostile = fc.string({ unit: fc.constantFrom(...'=+-@＝＠;,|\t\r\n \u00a0\u200b"\'a1'), maxLength: 12 })
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 3 }), cells => {
      for (const part of csvLine(cells).split(/[;,|\t\r\n]/)) expect(part).not.toMatch(/^[ \u00a0\u200b"]*[=+\-@＝＠]/)
    }),
  )
})
