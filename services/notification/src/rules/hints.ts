import type { EventData, EventType } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import { type PersonSnapshot, type Role, seesEverything } from '@watchline/contracts/people'

/** A person's position in the organisation. It decides who gets hints about the person. */
export interface OrgPosition {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
}

/** The streams of a person, a session, a role, a supervisor's team or a manager's supervisors. */
export type Audience =
  | { person: string }
  | { sid: string }
  | { role: Role }
  | { teamOf: string }
  | { supervisorsOf: string }

/** A hint that follows from an event, with the streams that get it. */
export interface AudienceHint {
  hint: Hint
  audiences: readonly Audience[]
  /** Send it once more later: other services apply the same event and may be behind. */
  repeat?: true
  /** Send it later only: another hint of the event covers it at once. */
  isDelayed?: true
  /** The streams end after this hint. */
  endsStream?: true
}

export type FindPosition = (id: string) => OrgPosition | undefined

interface HintRule<T extends EventType> {
  /** The people whose positions, and whose supervisors' positions, `hints` looks up. */
  peopleToLocate?(data: EventData<T>): readonly string[]
  hints(data: EventData<T>, positionOf: FindPosition): readonly AudienceHint[]
}

const tasks: Hint = { type: 'tasks' }
const presence: Hint = { type: 'presence' }
const profile: Hint = { type: 'profile' }

/** The roles that see everything. */
const topRoles: readonly Audience[] = [{ role: 'director' }, { role: 'admin' }]
const allRoles: readonly Audience[] = [{ role: 'user' }, { role: 'supervisor' }, { role: 'manager' }, ...topRoles]

const people = (ids: readonly (string | null | undefined)[]): Audience[] =>
  ids.flatMap(person => (person ? [{ person }] : []))

/** Everybody who sees a person's presence; the same rule as `/users/online`. */
function presenceAudiences(id: string, positionOf: FindPosition): Audience[] {
  const position = positionOf(id)
  const supervisorId = position?.supervisorId
  const managerOfSupervisor = supervisorId ? positionOf(supervisorId)?.managerId : null
  const isStaff = position !== undefined && position.role !== 'user'
  return [
    ...people([supervisorId, managerOfSupervisor, position?.managerId]),
    ...topRoles,
    ...(isStaff ? ([{ role: 'supervisor' }, { role: 'manager' }] as const) : []),
  ]
}

/**
 * Everybody a playlist may concern, as far as this service knows:
 * - its creator, the creator's manager, and those it is shared with;
 * - all supervisors of the creator, because some may just have lost it;
 * - the trainees they may have assigned it to, and those who see everything.
 * A playlist of a director or the administrator may be assigned to anybody.
 */
function playlistAudiences(
  createdBy: string,
  sharedWith: readonly string[],
  positionOf: FindPosition,
): readonly Audience[] {
  const creator = positionOf(createdBy)
  if (creator && seesEverything(creator)) return allRoles
  const trainees = [createdBy, ...sharedWith].map(teamOf => ({ teamOf }))
  return [
    ...people([createdBy, creator?.managerId, ...sharedWith]),
    { supervisorsOf: createdBy },
    ...trainees,
    ...topRoles,
  ]
}

/** Hints to the person, and to everybody above them before and after the change. */
function personChangeHints(
  person: PersonSnapshot,
  positionOf: FindPosition,
  previousSuperiors: readonly (string | null)[] = [],
): AudienceHint[] {
  const before = positionOf(person.id)
  const superiors = [person.supervisor_id, person.manager_id, before?.supervisorId, before?.managerId]
  const audiences = [...people([...superiors, ...previousSuperiors]), ...topRoles]
  return [
    // A changed profile makes the person's pages fetch everything, tasks included.
    { hint: profile, audiences: people([person.id]) },
    { hint: tasks, audiences: people([person.id]), isDelayed: true },
    { hint: presence, audiences, repeat: true },
    { hint: tasks, audiences, repeat: true },
  ]
}

function assignmentHint(assignees: readonly string[], by: string | null, positionOf: FindPosition): AudienceHint {
  return {
    hint: tasks,
    audiences: people([by, ...assignees, ...assignees.map(id => positionOf(id)?.supervisorId)]),
  }
}

const rules: { [T in EventType]?: HintRule<T> } = {
  'notifications.changed': {
    hints: data => [{ hint: { type: 'notifications' }, audiences: people(data.recipient_ids) }],
  },

  'playlist.assigned': {
    peopleToLocate: data => data.assigned,
    hints: ({ assigned, by }, positionOf) => [assignmentHint(assigned, by, positionOf)],
  },
  'playlist.unassigned': {
    peopleToLocate: data => data.unassigned,
    hints: ({ unassigned, by }, positionOf) => [assignmentHint(unassigned, by, positionOf)],
  },
  'assignment.due_changed': {
    peopleToLocate: data => data.changed,
    hints: ({ changed, by }, positionOf) => [assignmentHint(changed, by, positionOf)],
  },
  'assignment.overridden': {
    peopleToLocate: data => data.changed,
    hints: ({ changed, by }, positionOf) => [assignmentHint(changed, by, positionOf)],
  },
  'assignment.recurred': {
    peopleToLocate: data => data.people,
    hints: (data, positionOf) => [assignmentHint(data.people, null, positionOf)],
  },
  'playlist.created': {
    peopleToLocate: data => [data.created_by],
    hints: ({ created_by, shared_with }, positionOf) => [
      {
        hint: tasks,
        audiences: [...people([created_by, positionOf(created_by)?.managerId, ...shared_with]), ...topRoles],
      },
    ],
  },
  'playlist.changed': {
    peopleToLocate: data => [data.created_by],
    hints: ({ created_by, shared_with }, positionOf) => [
      { hint: tasks, audiences: playlistAudiences(created_by, shared_with, positionOf) },
    ],
  },
  'playlist.shared': {
    hints: ({ by, shared_with }) => [{ hint: tasks, audiences: [...people([by, ...shared_with]), ...topRoles] }],
  },
  'playlist.deleted': {
    peopleToLocate: data => [data.created_by ?? data.by],
    hints: ({ by, created_by = by, shared_with = [] }, positionOf) => [
      { hint: tasks, audiences: [...people([by]), ...playlistAudiences(created_by, shared_with, positionOf)] },
    ],
  },

  'presence.changed': {
    peopleToLocate: data => data.people.map(person => person.person_id),
    hints: (data, positionOf) => [
      {
        hint: presence,
        audiences: data.people.flatMap(person => presenceAudiences(person.person_id, positionOf)),
      },
    ],
  },
  'monitoring.started': {
    peopleToLocate: data => [data.person_id],
    hints: (data, positionOf) => [{ hint: presence, audiences: presenceAudiences(data.person_id, positionOf) }],
  },
  'monitoring.stopped': {
    peopleToLocate: data => [data.person_id],
    hints: (data, positionOf) => [
      { hint: presence, audiences: presenceAudiences(data.person_id, positionOf) },
      ...(data.reason === 'taken_over'
        ? [{ hint: { type: 'session', what: 'taken_over' } as const, audiences: [{ sid: data.sid }] }]
        : []),
    ],
  },
  'session.revoked': {
    hints: ({ sid }) => [{ hint: { type: 'session', what: 'signed_out' }, audiences: [{ sid }], endsStream: true }],
  },

  'user.created': { hints: ({ person }, positionOf) => personChangeHints(person, positionOf) },
  'user.profile_changed': { hints: ({ person }, positionOf) => personChangeHints(person, positionOf) },
  'user.role_changed': {
    peopleToLocate: data => [data.person.id],
    hints: ({ person }, positionOf) => personChangeHints(person, positionOf),
  },
  'user.supervisor_changed': {
    peopleToLocate: data => [data.person.id],
    hints: ({ person, previous_supervisor_id }, positionOf) =>
      personChangeHints(person, positionOf, [previous_supervisor_id]),
  },
  'user.manager_changed': {
    peopleToLocate: data => [data.person.id],
    hints: ({ person, previous_manager_id }, positionOf) =>
      personChangeHints(person, positionOf, [previous_manager_id]),
  },
  'user.deactivated': {
    peopleToLocate: data => [data.person.id],
    hints: ({ person, previous_supervisor_id, previous_manager_id }, positionOf) =>
      personChangeHints(person, positionOf, [previous_supervisor_id, previous_manager_id]),
  },
  'user.erased': {
    peopleToLocate: data => [data.person.id],
    hints: ({ person }, positionOf) => personChangeHints(person, positionOf),
  },
  'user.deleted': {
    hints: ({ previous_supervisor_id, previous_manager_id }) => {
      const audiences = [...people([previous_supervisor_id, previous_manager_id]), ...topRoles]
      return [
        { hint: presence, audiences, repeat: true },
        { hint: tasks, audiences, repeat: true },
      ]
    },
  },
  'user.reactivated': { hints: ({ person }, positionOf) => personChangeHints(person, positionOf) },
  'users.imported': {
    peopleToLocate: data => data.people.map(person => person.id),
    hints: (data, positionOf) => data.people.flatMap(person => personChangeHints(person, positionOf)),
  },

  'chat.changed': {
    hints: ({ changes }) =>
      changes.map(({ room_id, what, by, person_ids }) => ({
        hint: what === 'typing' ? { type: 'typing', room_id, by } : { type: 'chat', room_id },
        audiences: people(person_ids),
      })),
  },
}

/** The number of pages that may refresh at the same time. */
const maxTogether = 20
const spreadMsPerPage = 10

/** A hint to many open pages says over which time they spread their refreshes. */
export function spreadHint(hint: Hint, pages: number): Hint {
  if (pages <= maxTogether || (hint.type !== 'tasks' && hint.type !== 'notifications')) return hint
  return { ...hint, spread_ms: Math.min(limits.hintSpreadMaxMs, pages * spreadMsPerPage) }
}

/** The events that cause hints. */
export const hintedEvents = Object.keys(rules) as readonly EventType[]

/** The people whose positions, and whose supervisors' positions, {@link hintsFor} looks up. */
export function peopleToLocate<T extends EventType>(type: T, data: EventData<T>): readonly string[] {
  return (rules[type] as HintRule<T> | undefined)?.peopleToLocate?.(data) ?? []
}

/** The hints of an event. `positionOf` returns the position before the event. */
export function hintsFor<T extends EventType>(
  type: T,
  data: EventData<T>,
  positionOf: FindPosition,
): readonly AudienceHint[] {
  return (rules[type] as HintRule<T> | undefined)?.hints(data, positionOf) ?? []
}
