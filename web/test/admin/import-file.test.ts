import { describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import { csvText } from '../../src/features/admin/import/csv-text.ts'
import {
  importFileName,
  importMaxCharacters,
  readImportFile,
  splitText,
  tooLarge,
} from '../../src/features/admin/import/import-file.ts'

describe('the parts of a text', () => {
  test('make the text again, are no longer than allowed, and cut no character in two', () => {
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

describe('a file', () => {
  test('is read as UTF-8, without its mark', async () => {
    expect(await readImportFile(new Blob(['\uFEFFemail,role\r\nzoë@example.org,user\r\n']))).toEqual({
      ok: true,
      parts: ['email,role\r\nzoë@example.org,user\r\n'],
    })
  })

  test('in another encoding goes to the dry run, which says where', async () => {
    const latin = new Uint8Array([...'email\nzo'].map(letter => letter.charCodeAt(0)).concat(0xeb))
    expect(await readImportFile(new Blob([latin]))).toEqual({ ok: true, parts: ['email\nzo\uFFFD'] })
  })

  test('travels in parts', async () => {
    const line = 'somebody@example.org,user\n'
    const text = line.repeat(Math.ceil((limits.importPartCharacters * 2.5) / line.length))
    const read = await readImportFile(new Blob([text]))
    expect(read.ok && read.parts.map(part => part.length)).toEqual([
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
  ])('that is %s is not taken', async (_, bytes, problem) => {
    const read = await readImportFile(new Blob([bytes]))
    expect(read.ok).toBe(false)
    expect(!read.ok && read.problem).toMatch(problem)
  })

  test('of exactly the largest size is taken', async () => {
    const read = await readImportFile(new Blob([new Uint8Array(importMaxCharacters).fill(0x61)]))
    expect(read.ok && read.parts.length).toBe(limits.importMaxParts)
  })

  test('has a name the server takes', () => {
    expect(importFileName('people.csv')).toBe('people.csv')
    expect(importFileName('a\u0007b.csv')).toBe('ab.csv')
    expect(importFileName(' ')).toBe('people.csv')
    const long = importFileName(`${'😀'.repeat(300)}.csv`)
    expect(long.length).toBeLessThanOrEqual(limits.titleMaxLength)
    expect(long.endsWith('.csv')).toBe(true)
  })
})

describe('a CSV file of our own', () => {
  test('quotes what needs it', () => {
    expect(csvText([['a', 'b,c', 'say "no"', 'two\nlines', 7, null]])).toBe(
      '\uFEFFa,"b,c","say ""no""","two\nlines",7,\r\n',
    )
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('makes %j inert', cell => {
    expect(csvText([[cell]])).toBe(`\uFEFF"'${cell}"\r\n`)
  })
})
