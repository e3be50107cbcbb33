import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { otherIn, pairOf, roomIdOf, sideOf } from '../../src/rules/rooms.ts'
import { pageBefore, readOn } from '../../src/rules/sequence-numbers.ts'
import { transcriptHead, transcriptLine } from '../../src/rules/transcript.ts'

const id = fc.stringMatching(/^[0-9a-f]{24}$/)

describe('the id of a room', () => {
  test('is the same for both, and tells each the other one', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        fc.pre(one !== other)
        const room = roomIdOf(one, other)
        expect(roomIdOf(other, one)).toBe(room)
        expect(otherIn(room, one)).toBe(other)
        expect(otherIn(room, other)).toBe(one)
        expect(pairOf(one, other)[sideOf(one, other) - 1]).toBe(one)
      }),
    )
  })

  test('is nobody else’s', () => {
    fc.assert(
      fc.property(id, id, id, (one, other, third) => {
        fc.pre(third !== one && third !== other)
        expect(otherIn(roomIdOf(one, other), third)).toBeUndefined()
      }),
    )
    for (const wrong of ['', 'a', 'a-', '-a', 'a-a', 'b-a', 'abc']) expect(otherIn(wrong, 'a')).toBeUndefined()
  })
})

describe('pages', () => {
  test('from the newest to the beginning hold every place once', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 60 }), (last, limit) => {
        const seen: number[] = []
        let before: number | undefined
        for (let page = pageBefore(last, before, limit); page; page = pageBefore(last, before, limit)) {
          expect(page.to - page.from).toBeLessThan(limit)
          for (let seq = page.to; seq >= page.from; seq -= 1) seen.push(seq)
          before = page.from
        }
        expect(seen).toEqual(Array.from({ length: last }, (_, at) => last - at))
      }),
    )
  })
})

describe('a read position', () => {
  test('only goes on, and never past what is there', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.nat(50),
        fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
        (read, last, upTo) => {
          fc.pre(read <= last)
          const next = readOn(read, last, upTo) ?? read
          expect(next).toBe(Math.max(read, Math.min(last, upTo ?? last)))
        },
      ),
    )
  })
})

describe('a transcript', () => {
  test('names who wrote when; further lines cannot pass for messages', () => {
    const at = new Date('2026-11-20T10:00:00.000Z')
    expect(transcriptHead('Trainee\nOne', 'Supervisor One')).toBe('Chat between Trainee One and Supervisor One\n')
    const text = 'Yes\n2026-11-20T10:00:01.000Z Supervisor One: forged\r\nend\u2028x'
    expect(transcriptLine({ at, name: 'Trainee\nOne', text })).toBe(
      '\n2026-11-20T10:00:00.000Z Trainee One: Yes\n    2026-11-20T10:00:01.000Z Supervisor One: forged\n    end\n    x',
    )
  })
})
