import { describe, expect, test } from '@jest/globals'
import { csvText } from '@watchline/contracts/csv'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import {
  importFileName,
  importMaxCharacters,
  readImportFile,
  splitText,
  tooLarge,
} from '../../src/features/admin/import/import-file.ts'

describe('splitText', () => {
  test('keeps the text, the size limit and every character whole', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\n', ','), maxLength: 60 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 7 }), (text, size) => {
        const parts = splitText(text, size)
        expect(parts.join('')).toBe(text)
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0)
          expect(part.length).toBeLessThanOrEqual(size)
          expect(part.isWellFormed()).toBe(true)
        }
      }),
    )
  })
})

describe('reading a file', () => {
  test('decodes UTF-8 and drops the byte order mark', async () => {
    expect(await readImportFile(new Blob(['\uFEFFemail,role\r\nzoë@example.org,user\r\n']))).toEqual({
      ok: true,
      parts: ['email,role\r\nzoë@example.org,user\r\n'],
    })
  })

  test('marks the bytes of another encoding, so that the dry run can report their line', async () => {
    const latin1Bytes = new Uint8Array([...'email\nzo'].map(character => character.charCodeAt(0)).concat(0xeb))
    expect(await readImportFile(new Blob([latin1Bytes]))).toEqual({ ok: true, parts: ['email\nzo\uFFFD'] })
  })

  test('splits the text into parts', async () => {
    const line = 'somebody@example.org,user\n'
    const text = line.repeat(Math.ceil((limits.importPartCharacters * 2.5) / line.length))
    const result = await readImportFile(new Blob([text]))
    expect(result.ok && result.parts.map(part => part.length)).toEqual([
      limits.importPartCharacters,
      limits.importPartCharacters,
      text.length - 2 * limits.importPartCharacters,
    ])
  })

  test.each([
    ['too large', new Uint8Array(importMaxCharacters + 1).fill(0x61), tooLarge],
    ['empty', new Uint8Array(), 'This file is empty.'],
    ['of blanks', new TextEncoder().encode(' \n \r\n'), 'This file is empty.'],
    ['a workbook', new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0]), /workbook.*Save it as “CSV UTF-8”/],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0]), /UTF-16.*Save it as “CSV UTF-8”/],
  ])('refuses a file that is %s', async (_, bytes, problem) => {
    const result = await readImportFile(new Blob([bytes]))
    expect(result.ok).toBe(false)
    expect(!result.ok && result.problem).toMatch(problem)
  })

  test('accepts a file of exactly the largest size', async () => {
    const result = await readImportFile(new Blob([new Uint8Array(importMaxCharacters).fill(0x61)]))
    expect(result.ok && result.parts.length).toBe(limits.importMaxParts)
  })

  test('makes a file name that the server accepts', () => {
    expect(importFileName('people.csv')).toBe('people.csv')
    expect(importFileName('a\u0007b.csv')).toBe('ab.csv')
    expect(importFileName(' ')).toBe('people.csv')
    const longName = importFileName(`${'😀'.repeat(300)}.csv`)
    expect(longName.length).toBeLessThanOrEqual(limits.titleMaxLength)
    expect(longName.endsWith('.csv')).toBe(true)
  })
})

describe('csvText', () => {
  test('quotes where it must', () => {
    expect(csvText([['a', 'b,c', 'say "no"', 'two\nlines', 7, null]])).toBe(
      '\uFEFFa,"b,c","say ""no""","two\nlines",7,\r\n',
    )
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('prevents a spreadsheet from running %j', cell => {
    expect(csvText([[cell]])).toBe(`\uFEFF"'${cell}"\r\n`)
  })
})
