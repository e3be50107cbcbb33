import type { EventData, EventType } from '@watchline/contracts/events'
import type { Hint } from '@watchline/contracts/notification'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'

/** Where somebody stands: all that decides whom an event about them concerns. */
export interface Place {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
}

/** Whose streams: of a person, of a login session, of everybody in a role, of a supervisor's team, of a manager's supervisors. */
export type Whom =
  | { person: string }
  | { sid: string }
  | { role: Role }
  | { teamOf: string }
  | { supervisorsOf: string }

/** What an event makes the stream say, and to whom. */
export interface Said {
  hint: Hint
  to: readonly Whom[]
  /** Other services learn it by the same event and may not have it yet: it is said once more a little later. */
  again?: true
  /** The streams end with it. */
  last?: true
}

type At = (id: string) => Place | undefined

interface Rule<T extends EventType> {
  /** Those whose place decides; their supervisors are known besides. */
  asks?(data: EventData<T>): readonly string[]
  says(data: EventData<T>, at: At): readonly Said[]
}

const tasks: Hint = { type: 'tasks' }
const presence: Hint = { type: 'presence' }
const profile: Hint = { type: 'profile' }

/** Those who see everything. */
const top: readonly Whom[] = [{ role: 'director' }, { role: 'admin' }]
const everybody: readonly Whom[] = [{ role: 'user' }, { role: 'supervisor' }, { role: 'manager' }, ...top]

const persons = (ids: readonly (string | null | undefined)[]): Whom[] =>
  ids.flatMap(person => (person ? [{ person }] : []))

/** Who sees that somebody is online or monitoring: as `/users/online` has it. */
function onlookers(id: string, at: At): Whom[] {
  const place = at(id)
  const supervisorId = place?.supervisorId
  const line = persons([supervisorId, supervisorId ? at(supervisorId)?.managerId : null, place?.managerId])
  const isStaff = place !== undefined && place.role !== 'user'
  return [...line, ...top, ...(isStaff ? ([{ role: 'supervisor' }, { role: 'manager' }] as const) : [])]
}

/**
 * Whom a playlist may concern as far as is known here: who made it and their manager, those it is shared with and, as some may just
 * have lost it, all supervisors of the manager who made it, the trainees they may have assigned it to, and those who see everything.
 * What a director or the administrator made may be assigned to anybody.
 */
function reach(createdBy: string, sharedWith: readonly string[], at: At): readonly Whom[] {
  const maker = at(createdBy)
  if (maker?.role === 'director' || maker?.role === 'admin') return everybody
  const trainees = [createdBy, ...sharedWith].map(teamOf => ({ teamOf }))
  return [...persons([createdBy, maker?.managerId, ...sharedWith]), { supervisorsOf: createdBy }, ...trainees, ...top]
}

/** The person learns it of themselves; those above them, before and after, that their team is another. */
function moved(person: PersonSnapshot, at: At, previous: readonly (string | null)[] = []): Said[] {
  const before = at(person.id)
  const above = [person.supervisor_id, person.manager_id, before?.supervisorId, before?.managerId, ...previous]
  const to = [...persons(above), ...top]
  return [
    { hint: profile, to: persons([person.id]) },
    { hint: presence, to, again: true },
    { hint: tasks, to: [...to, ...persons([person.id])], again: true },
  ]
}

const rules: { [T in EventType]?: Rule<T> } = {
  'notifications.changed': {
    says: data => [{ hint: { type: 'notifications' }, to: persons(data.recipient_ids) }],
  },

  'playlist.assigned': {
    asks: data => data.assigned,
    says: ({ assigned, by }, at) => [assignment(assigned, by, at)],
  },
  'playlist.unassigned': {
    asks: data => data.unassigned,
    says: ({ unassigned, by }, at) => [assignment(unassigned, by, at)],
  },
  'playlist.created': {
    asks: data => [data.created_by],
    says: ({ created_by, shared_with }, at) => [
      { hint: tasks, to: [...persons([created_by, at(created_by)?.managerId, ...shared_with]), ...top] },
    ],
  },
  'playlist.changed': {
    asks: data => [data.created_by],
    says: ({ created_by, shared_with }, at) => [{ hint: tasks, to: reach(created_by, shared_with, at) }],
  },
  'playlist.shared': {
    says: ({ by, shared_with }) => [{ hint: tasks, to: [...persons([by, ...shared_with]), ...top] }],
  },
  'playlist.deleted': {
    asks: data => [data.created_by ?? data.by],
    says: ({ by, created_by = by, shared_with = [] }, at) => [
      { hint: tasks, to: [...persons([by]), ...reach(created_by, shared_with, at)] },
    ],
  },

  'presence.changed': {
    asks: data => data.people.map(each => each.person_id),
    says: ({ people }, at) => [{ hint: presence, to: people.flatMap(each => onlookers(each.person_id, at)) }],
  },
  'monitoring.started': {
    asks: data => [data.person_id],
    says: (data, at) => [{ hint: presence, to: onlookers(data.person_id, at) }],
  },
  'monitoring.stopped': {
    asks: data => [data.person_id],
    says: (data, at) => [
      { hint: presence, to: onlookers(data.person_id, at) },
      ...(data.reason === 'taken_over'
        ? [{ hint: { type: 'session', what: 'taken_over' } as const, to: [{ sid: data.sid }] }]
        : []),
    ],
  },
  'session.revoked': {
    says: ({ sid }) => [{ hint: { type: 'session', what: 'signed_out' }, to: [{ sid }], last: true }],
  },

  'user.created': { says: ({ person }, at) => moved(person, at) },
  'user.profile_changed': { says: ({ person }, at) => moved(person, at) },
  'user.role_changed': { asks: data => [data.person.id], says: ({ person }, at) => moved(person, at) },
  'user.supervisor_changed': {
    asks: data => [data.person.id],
    says: ({ person, previous_supervisor_id }, at) => moved(person, at, [previous_supervisor_id]),
  },
  'user.manager_changed': {
    asks: data => [data.person.id],
    says: ({ person, previous_manager_id }, at) => moved(person, at, [previous_manager_id]),
  },
  'users.imported': {
    asks: data => data.people.map(each => each.id),
    says: ({ people }, at) => people.flatMap(person => moved(person, at)),
  },

  'chat.changed': {
    says: ({ changes }) =>
      changes.map(({ room_id, what, by, person_ids }) => ({
        hint: what === 'typing' ? { type: 'typing', room_id, by } : { type: 'chat', room_id },
        to: persons(person_ids),
      })),
  },
}

function assignment(assigned: readonly string[], by: string, at: At): Said {
  return { hint: tasks, to: persons([by, ...assigned, ...assigned.map(id => at(id)?.supervisorId)]) }
}

/** What the stream follows. */
export const followed = Object.keys(rules) as readonly EventType[]

/** Those whose place, and whose supervisor's, must be known before it can be told whom the event concerns. */
export function askedBy<T extends EventType>(type: T, data: EventData<T>): readonly string[] {
  return (rules[type] as Rule<T> | undefined)?.asks?.(data) ?? []
}

/** What an event makes the stream say, by where people stand (for what changes that: where they stood before). */
export function saidOf<T extends EventType>(type: T, data: EventData<T>, at: At): readonly Said[] {
  return (rules[type] as Rule<T> | undefined)?.says(data, at) ?? []
}
