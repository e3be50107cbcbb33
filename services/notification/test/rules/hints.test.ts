import { describe, expect, test } from '@jest/globals'
import { type EventData, type EventType, events } from '@watchline/contracts/events'
import type { Role } from '@watchline/contracts/people'
import { makePersonSnapshot } from '@watchline/testing/harness'
import { askedBy, followed, type Place, saidOf } from '../../src/rules/hints.ts'

const place = (id: string, role: Role, above: Partial<Place> = {}): Place => ({
  id,
  role,
  supervisorId: null,
  managerId: null,
  ...above,
})
const known = new Map(
  [
    place('trainee', 'user', { supervisorId: 'supervisor' }),
    place('alone', 'user'),
    place('supervisor', 'supervisor', { managerId: 'manager' }),
    place('manager', 'manager'),
    place('director', 'director'),
  ].map(each => [each.id, each]),
)

/** What is said, as `<hint> to <whom>`, each once and sorted. */
function said<T extends EventType>(type: T, data: EventData<T>): string[] {
  const all = saidOf(type, data, id => known.get(id))
  const lines = all.flatMap(({ hint, to, again, last }) =>
    to.map(whom => {
      const what = hint.type === 'session' ? hint.what : hint.type
      return `${what}${again ? ' twice' : ''}${last ? ' and no more' : ''} to ${Object.entries(whom)[0]!.join(' ')}`
    }),
  )
  return [...new Set(lines)].sort()
}

const top = (hint: string) => [`${hint} to role admin`, `${hint} to role director`]
const at = new Date(0).toISOString()
const monitoring = { person_id: 'trainee', sid: 's', playlist_id: 'p', fence: 1 }
const playlist = { playlist_id: 'p', title: 'P', revision: 1, videos: [] }

describe('notifications, rooms and sessions', () => {
  test('concern those they name', () => {
    expect(said('notifications.changed', { recipient_ids: ['a', 'b'] })).toEqual([
      'notifications to person a',
      'notifications to person b',
    ])
    const change = { room_id: 'r', by: 'a' }
    const message = { ...change, what: 'message' as const, person_ids: ['a', 'b'] }
    expect(said('chat.changed', { changes: [message] })).toEqual(['chat to person a', 'chat to person b'])
    const typing = { ...change, what: 'typing' as const, person_ids: ['b'] }
    expect(said('chat.changed', { changes: [typing] })).toEqual(['typing to person b'])
    expect(said('session.revoked', { sid: 's', person_id: 'a', reason: 'signed_out' })).toEqual([
      'signed_out and no more to sid s',
    ])
  })
})

describe('who is online or monitoring', () => {
  test('concerns those above them and those who see everything', () => {
    const above = ['presence to person manager', 'presence to person supervisor', ...top('presence')]
    expect(said('presence.changed', { people: [{ person_id: 'trainee', online: true }] })).toEqual(above)
    expect(said('monitoring.started', { ...monitoring, started_at: at })).toEqual(above)
    expect(said('monitoring.stopped', { ...monitoring, stopped_at: at, reason: 'expired' })).toEqual(above)
  })

  test('concerns, of the staff, every supervisor and manager', () => {
    expect(said('presence.changed', { people: [{ person_id: 'supervisor', online: false }] })).toEqual([
      'presence to person manager',
      ...top('presence'),
      'presence to role manager',
      'presence to role supervisor',
    ])
  })

  test('concerns only those who see everything when nobody is above, or nobody knows who it is', () => {
    const people = ['alone', 'nobody'].map(person_id => ({ person_id, online: true }))
    expect(said('presence.changed', { people })).toEqual(top('presence'))
  })

  test('taken over is told exactly where it was taken from', () => {
    expect(said('monitoring.stopped', { ...monitoring, stopped_at: at, reason: 'taken_over' })).toContain(
      'taken_over to sid s',
    )
  })
})

describe('playlists', () => {
  test('assigned: the people, who did it, and their supervisors', () => {
    const lines = ['tasks to person director', 'tasks to person supervisor', 'tasks to person trainee']
    const by = 'director'
    expect(
      said('playlist.assigned', { playlist_id: 'p', title: 'P', by, assigned: ['trainee'], assigned_date: at }),
    ).toEqual(lines)
    expect(said('playlist.unassigned', { playlist_id: 'p', by, unassigned: ['trainee'] })).toEqual(lines)
  })

  test('made: nobody has it yet but the maker and those it is shared with', () => {
    expect(said('playlist.created', { ...playlist, created_by: 'manager', shared_with: ['supervisor'] })).toEqual([
      'tasks to person manager',
      'tasks to person supervisor',
      ...top('tasks'),
    ])
  })

  test('changed or deleted: also those who lost it, the teams, and the manager of a supervisor', () => {
    const ofManager = [
      'tasks to person manager',
      'tasks to person supervisor',
      ...top('tasks'),
      'tasks to supervisorsOf manager',
      'tasks to teamOf manager',
      'tasks to teamOf supervisor',
    ]
    const shared = { created_by: 'manager', shared_with: ['supervisor'] }
    expect(said('playlist.changed', { ...playlist, ...shared })).toEqual(ofManager)
    expect(said('playlist.deleted', { playlist_id: 'p', revision: 2, by: 'manager', ...shared })).toEqual(ofManager)
    expect(said('playlist.changed', { ...playlist, created_by: 'supervisor', shared_with: [] })).toEqual([
      'tasks to person manager',
      'tasks to person supervisor',
      ...top('tasks'),
      'tasks to supervisorsOf supervisor',
      'tasks to teamOf supervisor',
    ])
  })

  test('of a director may be anybody’s', () => {
    expect(said('playlist.changed', { ...playlist, created_by: 'director', shared_with: [] })).toEqual(
      ['admin', 'director', 'manager', 'supervisor', 'user'].map(role => `tasks to role ${role}`),
    )
  })

  test('shared: both sides', () => {
    expect(
      said('playlist.shared', { playlist_id: 'p', title: 'P', by: 'manager', shared_with: ['supervisor'] }),
    ).toEqual(['tasks to person manager', 'tasks to person supervisor', ...top('tasks')])
  })
})

describe('people', () => {
  test('who goes to another supervisor concerns both, and learns it at once', () => {
    const person = makePersonSnapshot({ id: 'trainee', supervisor_id: 'next' })
    expect(said('user.supervisor_changed', { person, by: null, previous_supervisor_id: 'supervisor' })).toEqual([
      'presence twice to person next',
      'presence twice to person supervisor',
      ...top('presence twice'),
      'profile to person trainee',
      'tasks twice to person next',
      'tasks twice to person supervisor',
      'tasks twice to person trainee',
      ...top('tasks twice'),
    ])
  })

  test('where somebody stood is known from before when the event does not say', () => {
    const person = makePersonSnapshot({ id: 'trainee', role: 'supervisor' })
    expect(said('user.role_changed', { person, by: null, previous_role: 'user' })).toContain(
      'presence twice to person supervisor',
    )
    expect(said('users.imported', { import_id: 'i', by: null, people: [person] })).toContain(
      'presence twice to person supervisor',
    )
  })
})

test('all that is asked about is asked by id, and every type the catalogue names is followed', () => {
  expect(
    askedBy('playlist.assigned', { playlist_id: 'p', title: 'P', by: 'b', assigned: ['x', 'y'], assigned_date: at }),
  ).toEqual(['x', 'y'])
  const declared = Object.entries(events).filter(([, event]) =>
    ('followers' in event ? (event.followers as readonly string[]) : []).includes('notification'),
  )
  expect([...followed].sort()).toEqual(declared.map(([type]) => type).sort())
})
