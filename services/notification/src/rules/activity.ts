import type { NotificationKind } from '@watchline/contracts/notification'

/** Somebody a notification names. */
export interface Named {
  id: string
  name: string
}

/** What happened, as one event tells it; a notification stands for one or more of them. */
export interface Happening {
  kind: NotificationKind
  /** Whom it is about. */
  person: Named | null
  /** How much it counts: one completion, three notes. */
  count: number
  playlist?: { id: string; title: string } | undefined
  video?: { id: string; title: string } | undefined
  /** Seconds into the video. */
  timestamp?: number | undefined
  /** A comment's text, an administrator's or a supervisor's words. */
  text?: string | undefined
  /** Approved or rejected, confirmed or not. */
  positive?: boolean | undefined
  /** Notes by reason. */
  notes?: Readonly<Record<string, number>> | undefined
}

/** One or more happenings of one kind, added up. Whatever they do not share is left out. */
export interface Facts extends Omit<Happening, 'person'> {
  /** Everybody it is about, the first ones only (see `peopleKept`). */
  people: readonly Named[]
  /** How many happenings there were. */
  happenings: number
}

/** So many people are remembered by name and id; beyond that a notification says "more than". */
export const peopleKept = 500

const families = {
  comment_to_approve: 'comment',
  video_completed: 'engagement',
  playlist_completed: 'engagement',
  integrity: 'engagement',
  video_unavailable: 'engagement',
  task_assigned: 'other',
  playlist_shared: 'other',
  request_reviewed: 'other',
  comment_reviewed: 'other',
} as const satisfies Record<NotificationKind, 'comment' | 'engagement' | 'other'>

export function familyOf(kind: NotificationKind): 'comment' | 'engagement' | 'other' {
  return families[kind]
}

/** Answers, and what asks for one, stay one by one. */
export function isFolded(kind: NotificationKind): boolean {
  return kind !== 'comment_to_approve' && kind !== 'comment_reviewed' && kind !== 'request_reviewed'
}

export function factsOf({ person, ...happening }: Happening): Facts {
  return { ...happening, people: person ? [person] : [], happenings: 1 }
}

/** The two as one: counts and notes add up, people join, a place stays only if it is the same for both. Order does not matter. */
export function fold(one: Facts, other: Facts): Facts {
  const people = new Map([...one.people, ...other.people].map(each => [each.id, each]))
  const playlist = one.playlist?.id === other.playlist?.id ? one.playlist : undefined
  const video = playlist && one.video?.id === other.video?.id ? one.video : undefined
  return {
    kind: one.kind,
    people: [...people.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, peopleKept),
    happenings: one.happenings + other.happenings,
    count: one.count + other.count,
    ...(playlist && { playlist }),
    ...(video && { video }),
    ...(video && one.timestamp === other.timestamp && one.timestamp !== undefined && { timestamp: one.timestamp }),
    ...(one.positive === other.positive && one.positive !== undefined && { positive: one.positive }),
    ...((one.notes || other.notes) && { notes: sum(one.notes ?? {}, other.notes ?? {}) }),
  }
}

function sum(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): Record<string, number> {
  const added: Record<string, number> = { ...one }
  for (const [key, value] of Object.entries(other)) added[key] = (added[key] ?? 0) + value
  return added
}
