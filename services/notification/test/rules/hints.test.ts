import { describe, expect, test } from '@jest/globals'
import { type EventData, type EventType, events } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import { makePersonSnapshot } from '@watchline/testing/harness'
import { hintedEvents, hintsFor, type OrgPosition, peopleToLocate, spreadHint } from '../../src/rules/hints.ts'

const position = (id: string, role: Role, superiors: Partial<OrgPosition> = {}): OrgPosition => ({
  id,
  role,
  supervisorId: null,
  managerId: null,
  ...superiors,
})
const positions = new Map(
  [
    position('trainee', 'user', { supervisorId: 'supervisor' }),
    position('alone', 'user'),
    position('supervisor', 'supervisor', { managerId: 'manager' }),
    position('manager', 'manager'),
    position('director', 'director'),
  ].map(person => [person.id, person]),
)

/** The hints of an event as sorted, distinct lines `<hint> to <audience>`. */
function hintLines<T extends EventType>(type: T, data: EventData<T>): string[] {
  const hints = hintsFor(type, data, id => positions.get(id))
  const lines = hints.flatMap(({ hint, audiences, repeat, isDelayed, endsStream }) =>
    audiences.map(audience => {
      const name = hint.type === 'session' ? hint.what : hint.type
      const suffix = `${repeat ? ' twice' : ''}${isDelayed ? ' later' : ''}${endsStream ? ' and no more' : ''}`
      return `${name}${suffix} to ${Object.entries(audience)[0]!.join(' ')}`
    }),
  )
  return [...new Set(lines)].sort()
}

const topRoles = (hint: string) => [`${hint} to role admin`, `${hint} to role director`]
const isoTime = new Date(0).toISOString()
const monitoring = { person_id: 'trainee', sid: 's', playlist_id: 'p', fence: 1 }
const playlist = { playlist_id: 'p', title: 'P', revision: 1, videos: [] }

describe('events of notifications, chat and sessions', () => {
  test('hint the people and sessions they name', () => {
    expect(hintLines('notifications.changed', { recipient_ids: ['a', 'b'] })).toEqual([
      'notifications to person a',
      'notifications to person b',
    ])
    const change = { room_id: 'r', by: 'a' }
    const message = { ...change, what: 'message' as const, person_ids: ['a', 'b'] }
    expect(hintLines('chat.changed', { changes: [message] })).toEqual(['chat to person a', 'chat to person b'])
    const typing = { ...change, what: 'typing' as const, person_ids: ['b'] }
    expect(hintLines('chat.changed', { changes: [typing] })).toEqual(['typing to person b'])
    expect(hintLines('session.revoked', { sid: 's', person_id: 'a', reason: 'signed_out' })).toEqual([
      'signed_out and no more to sid s',
    ])
  })
})

describe('events of presence and monitoring', () => {
  test('hint the superiors of a trainee, directors and administrators', () => {
    const expected = ['presence to person manager', 'presence to person supervisor', ...topRoles('presence')]
    expect(hintLines('presence.changed', { people: [{ person_id: 'trainee', online: true }] })).toEqual(expected)
    expect(hintLines('monitoring.started', { ...monitoring, started_at: isoTime })).toEqual(expected)
    expect(hintLines('monitoring.stopped', { ...monitoring, stopped_at: isoTime, reason: 'expired' })).toEqual(expected)
  })

  test('hint every supervisor and manager when the person is staff', () => {
    expect(hintLines('presence.changed', { people: [{ person_id: 'supervisor', online: false }] })).toEqual([
      'presence to person manager',
      ...topRoles('presence'),
      'presence to role manager',
      'presence to role supervisor',
    ])
  })

  test('hint only directors and administrators when the person has no superior or is unknown', () => {
    const people = ['alone', 'nobody'].map(person_id => ({ person_id, online: true }))
    expect(hintLines('presence.changed', { people })).toEqual(topRoles('presence'))
  })

  test('hint a takeover to the session that lost the lock', () => {
    expect(hintLines('monitoring.stopped', { ...monitoring, stopped_at: isoTime, reason: 'taken_over' })).toContain(
      'taken_over to sid s',
    )
  })
})

describe('events of playlists', () => {
  test('assigned: hint the assignees, their supervisors and the assigner', () => {
    const lines = ['tasks to person director', 'tasks to person supervisor', 'tasks to person trainee']
    const by = 'director'
    expect(
      hintLines('playlist.assigned', {
        playlist_id: 'p',
        title: 'P',
        by,
        assigned: ['trainee'],
        assigned_date: isoTime,
      }),
    ).toEqual(lines)
    expect(hintLines('playlist.unassigned', { playlist_id: 'p', by, unassigned: ['trainee'] })).toEqual(lines)
  })

  test('created: hint the creator and the supervisors it is shared with', () => {
    expect(hintLines('playlist.created', { ...playlist, created_by: 'manager', shared_with: ['supervisor'] })).toEqual([
      'tasks to person manager',
      'tasks to person supervisor',
      ...topRoles('tasks'),
    ])
  })

  test('changed or deleted: also hint former supervisors, the teams, and the manager of a supervisor', () => {
    const ofManager = [
      'tasks to person manager',
      'tasks to person supervisor',
      ...topRoles('tasks'),
      'tasks to supervisorsOf manager',
      'tasks to teamOf manager',
      'tasks to teamOf supervisor',
    ]
    const shared = { created_by: 'manager', shared_with: ['supervisor'] }
    expect(hintLines('playlist.changed', { ...playlist, ...shared })).toEqual(ofManager)
    expect(hintLines('playlist.deleted', { playlist_id: 'p', revision: 2, by: 'manager', ...shared })).toEqual(
      ofManager,
    )
    expect(hintLines('playlist.changed', { ...playlist, created_by: 'supervisor', shared_with: [] })).toEqual([
      'tasks to person manager',
      'tasks to person supervisor',
      ...topRoles('tasks'),
      'tasks to supervisorsOf supervisor',
      'tasks to teamOf supervisor',
    ])
  })

  test('of a director hint everybody', () => {
    expect(hintLines('playlist.changed', { ...playlist, created_by: 'director', shared_with: [] })).toEqual(
      ['admin', 'director', 'manager', 'supervisor', 'user'].map(role => `tasks to role ${role}`),
    )
  })

  test('shared: hint both sides', () => {
    expect(
      hintLines('playlist.shared', { playlist_id: 'p', title: 'P', by: 'manager', shared_with: ['supervisor'] }),
    ).toEqual(['tasks to person manager', 'tasks to person supervisor', ...topRoles('tasks')])
  })
})

describe('events of people', () => {
  test('hint a moved trainee and both supervisors', () => {
    const person = makePersonSnapshot({ id: 'trainee', supervisor_id: 'next' })
    expect(hintLines('user.supervisor_changed', { person, by: null, previous_supervisor_id: 'supervisor' })).toEqual([
      'presence twice to person next',
      'presence twice to person supervisor',
      ...topRoles('presence twice'),
      'profile to person trainee',
      'tasks later to person trainee',
      'tasks twice to person next',
      'tasks twice to person supervisor',
      ...topRoles('tasks twice'),
    ])
  })

  test('hint the former superiors of a deleted person, to whom nothing more is sent', () => {
    const data = { person_id: 'trainee', by: null, previous_supervisor_id: 'supervisor', previous_manager_id: null }
    expect(hintLines('user.deleted', data)).toEqual([
      'presence twice to person supervisor',
      ...topRoles('presence twice'),
      'tasks twice to person supervisor',
      ...topRoles('tasks twice'),
    ])
  })

  test('hint the former superiors even if the event does not name them', () => {
    const person = makePersonSnapshot({ id: 'trainee', role: 'supervisor' })
    expect(hintLines('user.role_changed', { person, by: null, previous_role: 'user' })).toContain(
      'presence twice to person supervisor',
    )
    expect(hintLines('users.imported', { import_id: 'i', by: null, people: [person] })).toContain(
      'presence twice to person supervisor',
    )
  })
})

test('a hint to many open pages says over which time they refresh', () => {
  for (const type of ['tasks', 'notifications'] as const) {
    expect(spreadHint({ type }, 20)).toEqual({ type })
    expect(spreadHint({ type }, 300)).toEqual({ type, spread_ms: 3_000 })
    expect(spreadHint({ type }, 5_000)).toEqual({ type, spread_ms: limits.hintSpreadMaxMs })
  }
  expect(spreadHint({ type: 'presence' }, 300)).toEqual({ type: 'presence' })
})

test('people to locate are returned by id, and hinted events match the declared live subscribers', () => {
  expect(
    peopleToLocate('playlist.assigned', {
      playlist_id: 'p',
      title: 'P',
      by: 'b',
      assigned: ['x', 'y'],
      assigned_date: isoTime,
    }),
  ).toEqual(['x', 'y'])
  const declared = Object.entries(events).filter(([, event]) =>
    ('liveSubscribers' in event ? (event.liveSubscribers as readonly string[]) : []).includes('notification'),
  )
  expect([...hintedEvents].sort()).toEqual(declared.map(([type]) => type).sort())
})
