import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addNewest, addOlder, addSent, findCompleteUpTo } from '../../src/features/chat/window/message-cache.ts'
import { makeMessage, makeMessages } from './_chat-data.ts'

const seqsOf = (cache: { messages: { seq: number }[] }) => cache.messages.map(({ seq }) => seq)
const sequenceTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the message cache of a room', () => {
  test('grows at its end, and is unchanged when nothing is new', () => {
    const cache = { messages: makeMessages(1, 3), olderCursor: undefined }
    expect(seqsOf(addNewest(cache, { messages: makeMessages(2, 5), olderCursor: 'before 2' }))).toEqual(sequenceTo(5))
    expect(addNewest(cache, { messages: makeMessages(2, 3), olderCursor: 'before 2' })).toBe(cache)
  })

  test('keeps the cursor before its oldest message', () => {
    const cache = { messages: makeMessages(5, 8), olderCursor: 'before 5' }
    expect(addNewest(cache, { messages: makeMessages(7, 9), olderCursor: 'before 7' }).olderCursor).toBe('before 5')
    const withOlder = addOlder(cache, { messages: makeMessages(1, 4) })
    expect(seqsOf(withOlder)).toEqual(sequenceTo(8))
    expect(withOlder.olderCursor).toBeUndefined()
    expect(addOlder(withOlder, { messages: makeMessages(1, 4), olderCursor: 'again' })).toBe(withOlder)
  })

  test('starts again after a gap', () => {
    const cache = { messages: makeMessages(1, 3) }
    const newest = { messages: makeMessages(60, 62), olderCursor: 'before 60' }
    expect(addNewest(cache, newest)).toEqual(newest)
  })

  test('adds a sent message at once, and earlier messages when they arrive', () => {
    const cache = addSent({ messages: makeMessages(1, 3) }, makeMessage({ seq: 6 }))
    expect(findCompleteUpTo(cache)).toBe(3)
    expect(seqsOf(addNewest(cache, { messages: makeMessages(2, 6), olderCursor: 'before 2' }))).toEqual(sequenceTo(6))
    const sentOnly = addSent({ messages: [] }, makeMessage({ seq: 5 }))
    const merged = addNewest(sentOnly, { messages: makeMessages(3, 5), olderCursor: 'before 3' })
    expect(seqsOf(merged)).toEqual(sequenceTo(5, 3))
    expect(merged.olderCursor).toBe('before 3')
  })

  test('has no gap and no repetition after reads in any order', () => {
    const readStep = fc.record({
      arrive: fc.integer({ min: 0, max: 9 }),
      kind: fc.constantFrom('newest', 'older', 'sent'),
    })
    fc.assert(
      fc.property(fc.array(readStep), steps => {
        let newestSeq = 0
        let cache = { messages: [] as ReturnType<typeof makeMessages>, olderCursor: undefined as string | undefined }
        const page = (to: number) => {
          const from = Math.max(1, to - 4)
          return { messages: to < 1 ? [] : makeMessages(from, to), olderCursor: from > 1 ? String(from) : undefined }
        }
        for (const { arrive, kind } of steps) {
          newestSeq += arrive
          if (kind === 'newest') cache = { olderCursor: undefined, ...addNewest(cache, page(newestSeq)) }
          else if (kind === 'sent') {
            newestSeq += 1
            cache = { olderCursor: undefined, ...addSent(cache, makeMessage({ seq: newestSeq })) }
          } else if (cache.olderCursor)
            cache = { olderCursor: undefined, ...addOlder(cache, page(Number(cache.olderCursor) - 1)) }
        }
        cache = { olderCursor: undefined, ...addNewest(cache, page(newestSeq)) }
        const cachedSeqs = seqsOf(cache)
        expect(cachedSeqs).toEqual(cachedSeqs.length === 0 ? [] : sequenceTo(newestSeq, cachedSeqs[0]))
        expect(cache.olderCursor).toBe(cachedSeqs[0]! > 1 ? String(cachedSeqs[0]) : undefined)
      }),
    )
  })
})
