import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addNewest, addOlder, addSent, findCompleteUpTo } from '../../src/features/chat/window/message-cache.ts'
import { makeMessage, messages } from './_chat.ts'

const seqs = (known: { messages: { seq: number }[] }) => known.messages.map(({ seq }) => seq)
const upTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the loaded messages of a room', () => {
  test('grows at its end, and is the same when nothing is new', () => {
    const known = { messages: messages(1, 3), olderCursor: undefined }
    expect(seqs(addNewest(known, { messages: messages(2, 5), olderCursor: 'before 2' }))).toEqual(upTo(5))
    expect(addNewest(known, { messages: messages(2, 3), olderCursor: 'before 2' })).toBe(known)
  })

  test('keeps the way back from its oldest message', () => {
    const known = { messages: messages(5, 8), olderCursor: 'before 5' }
    expect(addNewest(known, { messages: messages(7, 9), olderCursor: 'before 7' }).olderCursor).toBe('before 5')
    const older = addOlder(known, { messages: messages(1, 4) })
    expect(seqs(older)).toEqual(upTo(8))
    expect(older.olderCursor).toBeUndefined()
    expect(addOlder(older, { messages: messages(1, 4), olderCursor: 'again' })).toBe(older)
  })

  test('begins anew behind a hole', () => {
    const known = { messages: messages(1, 3) }
    const newest = { messages: messages(60, 62), olderCursor: 'before 60' }
    expect(addNewest(known, newest)).toEqual(newest)
  })

  test('add a sent message at once, and the messages before it when they arrive', () => {
    const known = addSent({ messages: messages(1, 3) }, makeMessage({ seq: 6 }))
    expect(findCompleteUpTo(known)).toBe(3)
    expect(seqs(addNewest(known, { messages: messages(2, 6), olderCursor: 'before 2' }))).toEqual(upTo(6))
    const first = addSent({ messages: [] }, makeMessage({ seq: 5 }))
    const all = addNewest(first, { messages: messages(3, 5), olderCursor: 'before 3' })
    expect(seqs(all)).toEqual(upTo(5, 3))
    expect(all.olderCursor).toBe('before 3')
  })

  test('any reads in any order: no gap, no repeat', () => {
    const step = fc.record({ arrive: fc.integer({ min: 0, max: 9 }), kind: fc.constantFrom('newest', 'older', 'sent') })
    fc.assert(
      fc.property(fc.array(step), steps => {
        let last = 0
        let known = { messages: [] as ReturnType<typeof messages>, olderCursor: undefined as string | undefined }
        const page = (to: number) => {
          const from = Math.max(1, to - 4)
          return { messages: to < 1 ? [] : messages(from, to), olderCursor: from > 1 ? String(from) : undefined }
        }
        for (const { arrive, kind } of steps) {
          last += arrive
          if (kind === 'newest') known = { olderCursor: undefined, ...addNewest(known, page(last)) }
          else if (kind === 'sent') {
            last += 1
            known = { olderCursor: undefined, ...addSent(known, makeMessage({ seq: last })) }
          } else if (known.olderCursor)
            known = { olderCursor: undefined, ...addOlder(known, page(Number(known.olderCursor) - 1)) }
        }
        known = { olderCursor: undefined, ...addNewest(known, page(last)) }
        const found = seqs(known)
        expect(found).toEqual(found.length === 0 ? [] : upTo(last, found[0]))
        expect(known.olderCursor).toBe(found[0]! > 1 ? String(found[0]) : undefined)
      }),
    )
  })
})
