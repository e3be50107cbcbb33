import { describe, expect, test } from '@jest/globals'
import type { Video } from '@watchline/contracts/playlists'
import fc from 'fast-check'
import { type Assignment, assignmentStatus, findTodaysAssignment } from '../src/rules/assignment.ts'
import { isAtEnd, isProblem, isUnderWay, locatePosition, readPosition } from '../src/rules/position.ts'
import { mayAssign, mayAssignTo, mayChangeTasksOf, mayEdit } from '../src/rules/rights.ts'

describe('today’s task', () => {
  const day = { start: 1_000, end: 2_000 }
  const anAssignment = fc.record({
    personId: fc.constant('p'),
    playlistId: fc.integer({ min: 0, max: 99 }).map(String),
    assignedBy: fc.constant('s'),
    assignedDate: fc.integer({ min: 0, max: 3_000 }).map(ms => new Date(ms)),
    status: fc.constantFrom('assigned' as const, 'completed' as const, 'exempt' as const, 'marked_done' as const),
    completedAt: fc.integer({ min: 0, max: 3_000 }).map(ms => new Date(ms)),
    due: fc.option(
      fc.integer({ min: 0, max: 5_000 }).map(ms => ({ at: new Date(ms), local: '2026-01-05T09:00', timeZone: 'UTC' })),
    ),
    dueChangedAt: fc.constant(new Date(0)),
    dueSetAt: fc.constant(null),
    note: fc.constant(''),
    closedAt: fc.constant(null),
    override: fc.constant(null),
    overrideChangedAt: fc.constant(new Date(0)),
    resetAt: fc.constant(null),
    reset: fc.constant(null),
    origin: fc.constant({ byHand: true, groupIds: [], ownTerms: true }),
    recurrence: fc.constant(null),
    conditions: fc.constant(null),
  })
  const assignments = fc.uniqueArray(anAssignment, { selector: item => item.playlistId, maxLength: 8 })
  const openUntilTonight = (assignment: Assignment) =>
    assignment.status === 'assigned' && assignment.assignedDate.getTime() < day.end
  const completedToday = (item: Assignment) =>
    item.status === 'completed' && item.completedAt!.getTime() >= day.start && item.completedAt!.getTime() < day.end

  test('is the open assignment that is due first, else the latest open one, else the latest one completed today', () => {
    fc.assert(
      fc.property(assignments, list => {
        const today = findTodaysAssignment(list, day)
        const openAssignments = list.filter(openUntilTonight)
        const completedAssignments = list.filter(completedToday)
        if (openAssignments.length > 0) {
          expect(openAssignments).toContain(today)
          const dueAts = openAssignments.flatMap(({ due }) => (due ? [due.at.getTime()] : []))
          expect(today!.due?.at.getTime()).toBe(dueAts.length > 0 ? Math.min(...dueAts) : undefined)
          const equallyUrgent = openAssignments.filter(({ due }) => due?.at.getTime() === today!.due?.at.getTime())
          expect(Math.max(...equallyUrgent.map(({ assignedDate }) => assignedDate.getTime()))).toBe(
            today!.assignedDate.getTime(),
          )
        } else if (completedAssignments.length > 0) {
          expect(completedAssignments).toContain(today)
          expect(Math.max(...completedAssignments.map(playlist => playlist.completedAt!.getTime()))).toBe(
            today!.completedAt!.getTime(),
          )
        } else expect(today).toBeUndefined()
      }),
    )
  })

  test('does not depend on read order', () => {
    fc.assert(
      fc.property(assignments, all => {
        expect(findTodaysAssignment([...all].reverse(), day)).toBe(findTodaysAssignment(all, day))
      }),
    )
  })

  test('has a status by its progress', () => {
    expect(assignmentStatus({ status: 'assigned' }, false)).toBe('assigned')
    expect(assignmentStatus({ status: 'assigned' }, true)).toBe('in_progress')
    expect(assignmentStatus({ status: 'completed' }, true)).toBe('completed')
  })
})

describe('a position', () => {
  const video = (id: string, duration: number, unavailable = false): Video => ({
    provider: 'file',
    id,
    url: '/x',
    title: id,
    duration,
    ...(unavailable && { unavailable }),
  })
  const list = [video('a', 10), video('b', 20), video('c', 30)]

  test('within a video is accepted, and slightly past the end counts as the end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 }),
        fc.double({ min: 0, max: 40, noNaN: true }),
        (videoIndex, seconds) => {
          const { id, duration } = list[videoIndex]!
          const read = readPosition(list, { videoId: id, videoIndex, seconds })
          if (seconds > duration + 2) expect(isProblem(read)).toBe(true)
          else expect(read).toEqual({ videoId: id, videoIndex, seconds: Math.min(seconds, duration) })
        },
      ),
    )
  })

  test.each([
    [{ videoId: 'zzz', videoIndex: 0, seconds: 1 }, 'videoId'],
    [{ videoId: 'a', videoIndex: 1, seconds: 1 }, 'videoIndex'],
    [{ videoId: 'a', videoIndex: 99, seconds: 1 }, 'videoIndex'],
    [{ videoIndex: 3, seconds: 1 }, 'videoIndex'],
    [{ videoId: 'a', videoIndex: 0, seconds: 12.01 }, 'seconds'],
    [{ videoId: 'a', videoIndex: 0, seconds: -1 }, 'seconds'],
    [{ videoId: 'a', videoIndex: 0, seconds: Number.NaN }, 'seconds'],
    [{ videoId: 'a', videoIndex: 0, seconds: Number.POSITIVE_INFINITY }, 'seconds'],
  ])('%j is invalid because of its %s', (reported, part) => {
    expect(readPosition(list, reported)).toMatchObject({ part })
  })

  test('is resolved by id or index alone', () => {
    expect(readPosition(list, { videoId: 'b', seconds: 1 })).toMatchObject({ videoIndex: 1 })
    expect(readPosition(list, { videoIndex: 2, seconds: 1 })).toMatchObject({ videoId: 'c' })
  })

  test('in an edited playlist is resolved by the id and not by the index', () => {
    const reported = { videoId: 'c', videoIndex: 0, seconds: 1 }
    expect(readPosition(list, reported, true)).toEqual({ videoId: 'c', videoIndex: 2, seconds: 1 })
    expect(readPosition(list, reported)).toMatchObject({ part: 'videoIndex' })
    expect(readPosition(list, { videoId: 'gone', videoIndex: 0, seconds: 1 }, true)).toMatchObject({ part: 'videoId' })
  })

  test('follows its video through every edit and stays within the playlist', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 })
    fc.assert(
      fc.property(ids, ids, fc.nat(100), fc.nat(100), (before, after, savedIndex, seconds) => {
        const videoIndex = savedIndex % before.length
        const saved = { videoId: before[videoIndex]!, videoIndex, seconds }
        const videos = after.map(id => video(id, 50))
        const located = locatePosition(videos, saved, id => (id === 'a' ? 7 : undefined))
        expect(videos[located.videoIndex]!.id).toBe(located.videoId)
        if (after.includes(saved.videoId))
          expect(located).toMatchObject({ videoId: saved.videoId, seconds: Math.min(seconds, 50) })
        else expect(located.seconds).toBe(located.videoId === 'a' ? 7 : 0)
      }),
    )
  })

  test('is the end only in the last playable video', () => {
    expect(isAtEnd(list, { videoIndex: 2, seconds: 28 })).toBe(true)
    expect(isAtEnd(list, { videoIndex: 2, seconds: 27.9 })).toBe(false)
    expect(isAtEnd(list, { videoIndex: 1, seconds: 20 })).toBe(false)
    const withoutLast = [list[0]!, list[1]!, video('c', 30, true)]
    expect(isAtEnd(withoutLast, { videoIndex: 1, seconds: 18 })).toBe(true)
    expect(isAtEnd(withoutLast, { videoIndex: 2, seconds: 0 })).toBe(true)
    expect(isAtEnd([video('a', 1, true)], { videoIndex: 0, seconds: 1 })).toBe(false)
  })

  test('is under way except at the very beginning', () => {
    expect([isUnderWay({ videoIndex: 0, seconds: 0 }), isUnderWay({ videoIndex: 1, seconds: 0 })]).toEqual([
      false,
      true,
    ])
    expect(isUnderWay({ videoIndex: 0, seconds: 0.5 })).toBe(true)
  })
})

describe('rights', () => {
  const roles = ['user', 'supervisor', 'manager', 'director', 'admin'] as const
  const own = { createdBy: 'me', sharedWith: [] }
  const shared = { createdBy: 'boss', sharedWith: ['me'] }
  const foreign = { createdBy: 'boss', sharedWith: ['y'] }
  const managerId = 'boss'

  test.each([
    ['user', [false, false, false]],
    ['supervisor', [true, true, false]],
    ['manager', [true, false, false]],
    ['director', [true, true, true]],
    ['admin', [true, true, true]],
  ] as const)('a %s may assign own, shared and foreign playlists: %j', (role, expected) => {
    expect([own, shared, foreign].map(playlist => mayAssign({ id: 'me', role, managerId }, playlist))).toEqual(expected)
  })

  test('sharing counts only while the owner is the supervisor’s manager', () => {
    const mayAssignUnder = (managerId: string | null) => mayAssign({ id: 'me', role: 'supervisor', managerId }, shared)
    expect(['boss', 'another', null].map(mayAssignUnder)).toEqual([true, false, false])
  })

  test('the owner, directors and the admin can edit a playlist; supervisors it is shared with cannot', () => {
    const edits = roles.map(role => [own, shared, foreign].map(playlist => mayEdit({ id: 'me', role }, playlist)))
    expect(edits).toEqual([
      [false, false, false],
      [true, false, false],
      [true, false, false],
      [true, true, true],
      [true, true, true],
    ])
  })

  test('a supervisor can assign to their own users, directors and the admin to anybody', () => {
    const own = { id: 'u', role: 'user' as const, supervisorId: 'me' }
    const outsider = { ...own, supervisorId: 'x' }
    const promoted = { ...own, role: 'supervisor' as const }
    const answers = roles.map(role => [own, outsider, promoted].map(person => mayAssignTo({ id: 'me', role }, person)))
    expect(answers).toEqual([
      [false, false, false],
      [true, false, false],
      [false, false, false],
      [true, true, true],
      [true, true, true],
    ])
  })

  test('their former supervisor can change the tasks of deactivated people, but not of others, nor assign new ones', () => {
    const former = { id: 'u', role: 'user' as const, supervisorId: null, deactivatedAt: '2026-01-01T00:00:00.000Z' }
    const supervised = { ...former, supervisorId: 'me' }
    const erased = { ...former, erasedAt: '2026-01-02T00:00:00.000Z' }
    const active = { id: 'u', role: 'user' as const, supervisorId: 'x' }
    const answers = roles.map(role => [
      ...[former, supervised, erased, active].map(person => mayChangeTasksOf({ id: 'me', role }, person, 'me')),
      mayChangeTasksOf({ id: 'me', role }, former, 'x'),
      mayAssignTo({ id: 'me', role }, supervised),
    ])
    expect(answers).toEqual([
      [false, false, false, false, false, false],
      [true, true, false, false, false, false],
      [false, false, false, false, false, false],
      [true, true, false, true, true, false],
      [true, true, false, true, true, false],
    ])
  })
})
