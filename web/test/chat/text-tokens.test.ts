import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { tokenize } from '../../src/features/chat/window/text-tokens.ts'

const linksIn = (message: string) => tokenize(message).flatMap(token => ('href' in token ? [token.text] : []))

describe('addresses in a message', () => {
  test.each([
    ['https://example.org', 'https://example.org'],
    ['see http://example.org/a?b=c&d=e#f now', 'http://example.org/a?b=c&d=e#f'],
    ['HTTPS://Example.org/Path', 'HTTPS://Example.org/Path'],
    ['Have you seen https://example.org/a?', 'https://example.org/a'],
    ['Read https://example.org/a.html, then rest.', 'https://example.org/a.html'],
    ['so: https://example.org/a!?…', 'https://example.org/a'],
    ['“https://example.org/a”', 'https://example.org/a'],
    ['(see https://example.org/a)', 'https://example.org/a'],
    ['(see https://example.org/a_(b))', 'https://example.org/a_(b)'],
    ['[https://example.org/a](text)', 'https://example.org/a'],
    ['<https://example.org/a>', 'https://example.org/a'],
    ['"https://example.org/a"', 'https://example.org/a'],
    ['**https://example.org/a**', 'https://example.org/a'],
    ['https://example.org/größe/日本', 'https://example.org/größe/日本'],
    ['https://bücher.example/x', 'https://bücher.example/x'],
    ['これ https://example.org/a。', 'https://example.org/a'],
    ['שלום https://example.org/a שלום', 'https://example.org/a'],
    ['👉https://example.org/a 👈', 'https://example.org/a'],
    ['http://localhost:8080/x', 'http://localhost:8080/x'],
  ])('%s', (message, address) => {
    expect(linksIn(message)).toEqual([address])
  })

  test('finds several addresses', () => {
    expect(linksIn('https://a.example\nhttps://b.example, https://c.example.')).toEqual([
      'https://a.example',
      'https://b.example',
      'https://c.example',
    ])
  })
})

describe('no address is made of', () => {
  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt://example.org/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'ftp://example.org',
    'mailto:someone@example.org',
    '//example.org/a',
    'www.example.org',
    'example.org/a',
    'xhttps://example.org',
    'https://',
    'https:/example.org',
    'https://user:secret@example.org/',
    'https://bank.example@evil.example/',
    'https://exa mple'.slice(0, 8),
    '<b>bold</b> **bold** `code` [words](words) &amp; @name #topic',
  ])('%s', message => {
    expect(tokenize(message)).toEqual([{ text: message }])
  })

  test('text after an invisible or direction-changing character', () => {
    expect(linksIn('https://example.org/\u202Efdp.exe')).toEqual(['https://example.org/'])
    expect(linksIn('https://example.org/a\u200bb')).toEqual(['https://example.org/a'])
  })
})

test('any text keeps every character, and every address is an http or https address', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    fc.constantFrom(
      'https://',
      'http://a.b',
      '(',
      ')',
      '.',
      ' ',
      '\n',
      'javascript:',
      '<a href="',
      '👍🏽',
      'שלום',
      '@',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const message = pieces.join('')
      const tokens = tokenize(message)
      expect(tokens.map(({ text }) => text).join('')).toBe(message)
      for (const token of tokens) {
        expect(token.text).not.toBe('')
        if ('href' in token) expect(token.href).toMatch(/^https?:\/\/[^\s<>"]+$/)
      }
    }),
  )
})
