import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate } from '@watchline/contracts/fields'
import type { NotificationKind } from '@watchline/contracts/notification'
import { erasedName } from '@watchline/contracts/people'

export interface NamedPerson {
  id: string
  name: string
}

/** One event that people are notified of. */
export interface Activity {
  kind: NotificationKind
  /** The person the activity is about. */
  person: NamedPerson | null
  /** How much the activity counts: 1 for a completion, the number of notes for integrity. */
  count: number
  playlist?: { id: string; title: string } | undefined
  video?: { id: string; title: string } | undefined
  /** Seconds into the video. */
  timestamp?: number | undefined
  /**
   * The text of a comment, the words or reason of a leader, a network, a due date, terms, or the
   * change of administrators.
   */
  text?: string | undefined
  /** The instant of the due date that `text` says. Absent in those of earlier versions. */
  dueAt?: string | undefined
  /** The reason why a due date or other terms changed, in the words of the person. */
  reason?: string | undefined
  /** The words of a leader to the person, beside `text`. */
  note?: string | undefined
  /** Approved (not rejected), or confirmed. */
  positive?: boolean | undefined
  /** How often, by the code of the integrity note. */
  notes?: Readonly<Record<string, number>> | undefined
  /** The code of the cause that `text` says in English, for mails in other languages. */
  cause?: string | undefined
  /** The terms that `text` says in English, for mails in other languages. Absent: the default. */
  conditions?: Conditions | undefined
  /** The end of the grace period that runs after the due date in `text`. */
  graceUntil?: DueDate | undefined
}

/** Activities of one kind in one notification. A field on which they differ is absent. */
export interface ActivityGroup extends Omit<Activity, 'person'> {
  /** The people the activities are about, at most `maxPeople`. */
  people: readonly NamedPerson[]
  activityCount: number
}

/** Bounds the size of a stored group. */
export const maxPeople = 500

const notificationTypes = {
  comment_to_approve: 'comment',
  video_completed: 'engagement',
  playlist_completed: 'engagement',
  integrity: 'engagement',
  video_unavailable: 'engagement',
  task_assigned: 'other',
  task_recurred: 'other',
  task_reminded: 'other',
  due_date_changed: 'other',
  terms_changed: 'other',
  task_exempted: 'other',
  task_marked_done: 'other',
  override_taken_back: 'other',
  task_reset: 'other',
  task_due_soon: 'other',
  task_in_grace: 'other',
  task_overdue: 'other',
  task_escalated: 'other',
  task_uncompletable: 'other',
  playlist_shared: 'other',
  request_reviewed: 'other',
  supervisor_requested: 'other',
  manager_changed: 'other',
  comment_reviewed: 'other',
  comment_replied: 'other',
  comments_moved: 'other',
  token_reused: 'other',
  administrators_changed: 'other',
} as const satisfies Record<NotificationKind, 'comment' | 'engagement' | 'other'>

/** Notifications of a person's own task. They are of no use once it is closed. */
export const ownTaskKinds = [
  'task_assigned',
  'task_recurred',
  'task_reminded',
  'due_date_changed',
  'terms_changed',
  'task_exempted',
  'task_marked_done',
  'override_taken_back',
  'task_reset',
  'task_due_soon',
  'task_in_grace',
  'task_overdue',
] as const satisfies readonly NotificationKind[]

export function notificationTypeOf(kind: NotificationKind): 'comment' | 'engagement' | 'other' {
  return notificationTypes[kind]
}

/** The English words for a person who is unknown here. Stored activities have them as a name. */
export const unknownPersonName = 'Somebody'

export function namePerson(id: string, person: NamedPerson | undefined): NamedPerson {
  return { id, name: person?.name ?? unknownPersonName }
}

/** Whether the name is that of a person, and not the English words for one without a name. */
export function isKnownPerson({ name }: NamedPerson): boolean {
  return name !== unknownPersonName && name !== erasedName
}

export function createGroup({ person, ...activity }: Activity): ActivityGroup {
  return { ...activity, people: person ? [person] : [], activityCount: 1 }
}

/**
 * Merges two groups of one kind; the order does not matter. Counts and notes add up, and a playlist
 * or video stays only if both groups have the same. People join; but if one group has nobody, the
 * merged one names nobody, because the others did only a part of it.
 */
export function mergeGroups(first: ActivityGroup, second: ActivityGroup): ActivityGroup {
  const isByPeople = first.people.length > 0 && second.people.length > 0
  const named = isByPeople ? [...first.people, ...second.people] : []
  const people = new Map(named.map(person => [person.id, person]))
  const playlist = first.playlist?.id === second.playlist?.id ? first.playlist : undefined
  const video = playlist && first.video?.id === second.video?.id ? first.video : undefined
  const timestamp = video && first.timestamp === second.timestamp ? first.timestamp : undefined
  return {
    kind: first.kind,
    people: [...people.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, maxPeople),
    activityCount: first.activityCount + second.activityCount,
    count: first.count + second.count,
    ...(playlist && { playlist }),
    ...(video && { video }),
    ...(timestamp !== undefined && { timestamp }),
    ...(first.positive === second.positive && first.positive !== undefined && { positive: first.positive }),
    ...((first.notes || second.notes) && { notes: addCounts(first.notes ?? {}, second.notes ?? {}) }),
  }
}

function addCounts(
  first: Readonly<Record<string, number>>,
  second: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums: Record<string, number> = { ...first }
  for (const [key, count] of Object.entries(second)) sums[key] = (sums[key] ?? 0) + count
  return sums
}
