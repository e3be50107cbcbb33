import { describe, expect, test } from '@jest/globals'
import {
  type Attempt,
  findUsesWithoutLock,
  type LockAction,
  makeWrite,
  possibleValues,
  usualUnansweredMs,
} from '../../src/faults/possible-values.ts'

const answered = (sentAt: number, endedAt: number, status = 200): Attempt => ({ sentAt, endedAt, status })
const unanswered = (sentAt: number): Attempt => ({ sentAt, endedAt: sentAt + 4_000, status: 0 })

describe('the possible values of a field after several writes', () => {
  test('are only the last acknowledged value', () => {
    const writes = [makeWrite('one', [answered(0, 10)]), makeWrite('two', [answered(20, 30)])]
    expect(possibleValues(writes)).toEqual(['two'])
  })

  test('are both values of two concurrent writes', () => {
    const writes = [makeWrite('one', [answered(0, 10)]), makeWrite('two', [answered(5, 12)])]
    expect(possibleValues(writes)).toEqual(['one', 'two'])
  })

  test('include an unanswered attempt, until its effect is no longer possible', () => {
    const early = makeWrite('early', [unanswered(0), answered(4_000, 4_010)])
    const soon = makeWrite('soon', [answered(5_000, 5_010)])
    const late = makeWrite('late', [answered(usualUnansweredMs + 1, usualUnansweredMs + 2)])
    expect(possibleValues([early, soon])).toEqual(['early', 'soon'])
    expect(possibleValues([early, soon, late])).toEqual(['late'])
  })

  test('include the value before an unacknowledged write', () => {
    const writes = [makeWrite('kept', [answered(0, 10)]), makeWrite('refused', [answered(20, 30, 409)])]
    expect(possibleValues(writes)).toEqual(['kept', 'refused'])
  })
})

describe('uses of a lock that another session owned', () => {
  const acquire = (sid: string, ...attempts: Attempt[]): LockAction => ({ sid, kind: 'acquire', attempts })
  const use = (sid: string, ...attempts: Attempt[]): LockAction => ({ sid, kind: 'use', attempts })
  const release = (sid: string, ...attempts: Attempt[]): LockAction => ({ sid, kind: 'release', attempts })
  const findViolations = (...actions: LockAction[]) =>
    findUsesWithoutLock(actions).map(({ use, owner }) => `${use.sid} while ${owner.sid} owns the lock`)

  test('are found when the other session acquired it before the use was sent', () => {
    expect(
      findViolations(acquire('a', answered(0, 10)), acquire('b', answered(20, 30)), use('a', answered(40, 50))),
    ).toEqual(['a while b owns the lock'])
  })

  test('are not found when the use was concurrent, was refused, or is by the owner', () => {
    expect(
      findViolations(acquire('a', answered(0, 10)), acquire('b', answered(20, 30)), use('a', answered(25, 50))),
    ).toEqual([])
    expect(
      findViolations(acquire('a', answered(0, 10)), acquire('b', answered(20, 30)), use('a', answered(40, 50, 409))),
    ).toEqual([])
    expect(
      findViolations(acquire('a', answered(0, 10)), acquire('b', answered(20, 30)), use('b', answered(40, 50))),
    ).toEqual([])
  })

  test('are not found when the lock was taken over again, or released', () => {
    const before = [acquire('a', answered(0, 10)), acquire('b', answered(20, 30))]
    expect(findViolations(...before, acquire('a', answered(32, 38)), use('a', answered(40, 50)))).toEqual([])
    expect(findViolations(...before, acquire('a', unanswered(32)), use('a', answered(40, 50)))).toEqual([])
    expect(findViolations(...before, release('b', answered(32, 38)), use('a', answered(40, 50)))).toEqual([])
  })
})
