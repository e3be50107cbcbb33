import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { partnerIdIn, roomIdOf, sideOf, sortPair } from '../../src/rules/room.ts'
import { advanceReadPosition, pageBefore } from '../../src/rules/sequence-numbers.ts'
import { formatTranscriptHead, formatTranscriptLine } from '../../src/rules/transcript.ts'

const id = fc.stringMatching(/^[0-9a-f]{24}$/)

describe('the id of a room', () => {
  test('is the same for both people and contains the partner’s id', () => {
    fc.assert(
      fc.property(id, id, (first, second) => {
        fc.pre(first !== second)
        const room = roomIdOf(first, second)
        expect(roomIdOf(second, first)).toBe(room)
        expect(partnerIdIn(room, first)).toBe(second)
        expect(partnerIdIn(room, second)).toBe(first)
        expect(sortPair(first, second)[sideOf(first, second) - 1]).toBe(first)
      }),
    )
  })

  test('has no partner for anybody else', () => {
    fc.assert(
      fc.property(id, id, id, (first, second, third) => {
        fc.pre(third !== first && third !== second)
        expect(partnerIdIn(roomIdOf(first, second), third)).toBeUndefined()
      }),
    )
    for (const wrong of ['', 'a', 'a-', '-a', 'a-a', 'b-a', 'abc']) expect(partnerIdIn(wrong, 'a')).toBeUndefined()
  })
})

describe('pages', () => {
  test('from the newest to the first contain every sequence number once', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 60 }), (last, limit) => {
        const numbers: number[] = []
        let before: number | undefined
        for (let page = pageBefore(last, before, limit); page; page = pageBefore(last, before, limit)) {
          expect(page.to - page.from).toBeLessThan(limit)
          for (let number = page.to; number >= page.from; number -= 1) numbers.push(number)
          before = page.from
        }
        expect(numbers).toEqual(Array.from({ length: last }, (_, index) => last - index))
      }),
    )
  })
})

describe('a read position', () => {
  test('only advances, at most to the newest message', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.nat(50),
        fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
        (read, last, upTo) => {
          fc.pre(read <= last)
          const position = advanceReadPosition(read, last, upTo) ?? read
          expect(position).toBe(Math.max(read, Math.min(last, upTo ?? last)))
        },
      ),
    )
  })
})

describe('a transcript', () => {
  test('names sender and time; later lines of a text do not look like a message', () => {
    const sentAt = new Date('2026-11-20T10:00:00.000Z')
    expect(formatTranscriptHead('Trainee\nOne', 'Supervisor One')).toBe('Chat between Trainee One and Supervisor One\n')
    const text = 'Yes\n2026-11-20T10:00:01.000Z Supervisor One: forged\r\nend\u2028x'
    expect(formatTranscriptLine({ at: sentAt, name: 'Trainee\nOne', text })).toBe(
      '\n2026-11-20T10:00:00.000Z Trainee One: Yes\n    2026-11-20T10:00:01.000Z Supervisor One: forged\n    end\n    x',
    )
  })
})
