import { describe, expect, test } from '@jest/globals'
import {
  type Attempt,
  type LockStep,
  possibleValues,
  unansweredMs,
  usesWithoutLock,
  writeOf,
} from '../../src/faults/possible-values.ts'

const answered = (sentAt: number, endedAt: number, status = 200): Attempt => ({ sentAt, endedAt, status })
const lost = (sentAt: number): Attempt => ({ sentAt, endedAt: sentAt + 4_000, status: 0 })

describe('what a place may hold after several writes', () => {
  test('is what was acknowledged last, and nothing before it', () => {
    const writes = [writeOf('one', [answered(0, 10)]), writeOf('two', [answered(20, 30)])]
    expect(possibleValues(writes)).toEqual(['two'])
  })

  test('of two that were under way together, either', () => {
    const writes = [writeOf('one', [answered(0, 10)]), writeOf('two', [answered(5, 12)])]
    expect(possibleValues(writes)).toEqual(['one', 'two'])
  })

  test('a try without an answer may have its effect late, but not for ever', () => {
    const early = writeOf('early', [lost(0), answered(4_000, 4_010)])
    const soon = writeOf('soon', [answered(5_000, 5_010)])
    const late = writeOf('late', [answered(unansweredMs + 1, unansweredMs + 2)])
    expect(possibleValues([early, soon])).toEqual(['early', 'soon'])
    expect(possibleValues([early, soon, late])).toEqual(['late'])
  })

  test('what was never acknowledged overwrites nothing for certain', () => {
    const writes = [writeOf('kept', [answered(0, 10)]), writeOf('refused', [answered(20, 30, 409)])]
    expect(possibleValues(writes)).toEqual(['kept', 'refused'])
  })
})

describe('uses of a lock that another session held', () => {
  const take = (sid: string, ...tries: Attempt[]): LockStep => ({ sid, what: 'take', tries })
  const use = (sid: string, ...tries: Attempt[]): LockStep => ({ sid, what: 'use', tries })
  const release = (sid: string, ...tries: Attempt[]): LockStep => ({ sid, what: 'release', tries })
  const wrong = (...steps: LockStep[]) =>
    usesWithoutLock(steps).map(({ use, holder }) => `${use.sid} in ${holder.sid}'s`)

  test('are found when the other one had taken it before the use was sent', () => {
    expect(wrong(take('a', answered(0, 10)), take('b', answered(20, 30)), use('a', answered(40, 50)))).toEqual([
      "a in b's",
    ])
  })

  test('are none when the use was under way at that moment, was refused, or is the holder’s', () => {
    expect(wrong(take('a', answered(0, 10)), take('b', answered(20, 30)), use('a', answered(25, 50)))).toEqual([])
    expect(wrong(take('a', answered(0, 10)), take('b', answered(20, 30)), use('a', answered(40, 50, 409)))).toEqual([])
    expect(wrong(take('a', answered(0, 10)), take('b', answered(20, 30)), use('b', answered(40, 50)))).toEqual([])
  })

  test('are none when the lock was taken back, or given back and taken anew', () => {
    const before = [take('a', answered(0, 10)), take('b', answered(20, 30))]
    expect(wrong(...before, take('a', answered(32, 38)), use('a', answered(40, 50)))).toEqual([])
    expect(wrong(...before, take('a', lost(32)), use('a', answered(40, 50)))).toEqual([])
    expect(wrong(...before, release('b', answered(32, 38)), use('a', answered(40, 50)))).toEqual([])
  })
})
