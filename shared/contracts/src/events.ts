import { z } from 'zod'
import { integrityNote } from './engagement.ts'
import { id, roomId, seconds, time } from './fields.ts'
import type { ServiceName } from './operation.ts'
import { personSnapshot, role } from './people.ts'
import { playlistSnapshot } from './snapshots.ts'

/** What an event type means, who publishes it, which services consume it (each has its durable queue) and its data. */
export interface EventDeclaration<Data extends z.ZodType = z.ZodType> {
  readonly meaning: string
  readonly producer: ServiceName
  readonly consumers: readonly ServiceName[]
  /** Also followed live, by every instance, without a durable queue. */
  readonly followers?: readonly string[]
  readonly data: Data
}

const personChange = z.object({ person: personSnapshot, by: id.nullable() })
const keepsPeople = ['playback-session', 'engagement', 'notification', 'chat'] as const satisfies readonly ServiceName[]

/** How many people one event about an import tells of; larger imports are several events. */
export const peoplePerImportEvent = 200

/** What things were called then, for those who tell people of them. Absent in events of before they were added. */
const titles = { playlist_title: z.string().optional(), video_title: z.string().optional() }

/** The event catalogue. Data is kept small: ids and what consumers cannot ask for later. */
export const events = {
  'user.created': {
    meaning: 'A person signed in for the first time, or the administrator was set up.',
    producer: 'auth',
    consumers: keepsPeople,
    followers: ['notification'],
    data: personChange,
  },
  'user.profile_changed': {
    meaning: 'Name, e-mail or picture changed at the sign-in provider.',
    producer: 'auth',
    consumers: keepsPeople,
    followers: ['notification'],
    data: personChange,
  },
  'user.role_changed': {
    meaning: 'A person was given another role.',
    producer: 'auth',
    consumers: keepsPeople,
    followers: ['notification'],
    data: personChange.extend({ previous_role: role }),
  },
  'user.supervisor_changed': {
    meaning: 'A person was put into a supervisor’s team, or taken out of one.',
    producer: 'auth',
    consumers: keepsPeople,
    followers: ['notification'],
    data: personChange.extend({ previous_supervisor_id: id.nullable() }),
  },
  'user.manager_changed': {
    meaning: 'A supervisor was put under a manager, or no longer is.',
    producer: 'auth',
    consumers: keepsPeople,
    followers: ['notification'],
    data: personChange.extend({ previous_manager_id: id.nullable() }),
  },
  'users.imported': {
    meaning: 'An administrator brought people in together, some of them here: as they are now, their places included.',
    producer: 'auth',
    consumers: keepsPeople,
    followers: ['notification'],
    data: z.object({
      import_id: id,
      by: id.nullable(),
      people: z.array(personSnapshot).min(1).max(peoplePerImportEvent),
    }),
  },
  'session.started': {
    meaning: 'A person signed in.',
    producer: 'auth',
    consumers: [],
    data: z.object({ sid: id, person_id: id, started_at: time }),
  },
  'session.revoked': {
    meaning:
      'A login session ended: signed out, replaced (by a new sign-in or a new password), or its refresh token was used twice.',
    producer: 'auth',
    consumers: ['playback-session'],
    followers: ['gateway', 'notification'],
    data: z.object({ sid: id, person_id: id, reason: z.enum(['signed_out', 'replaced', 'token_reused']) }),
  },
  'playlist.created': {
    meaning: 'Somebody made a playlist.',
    producer: 'playback-session',
    consumers: ['engagement'],
    followers: ['notification'],
    data: playlistSnapshot,
  },
  'playlist.changed': {
    meaning: 'A playlist was edited, read again from its source, shared with more or fewer people.',
    producer: 'playback-session',
    consumers: ['engagement'],
    followers: ['notification'],
    data: playlistSnapshot,
  },
  'playlist.shared': {
    meaning: 'A manager shared a playlist with supervisors who did not have it.',
    producer: 'playback-session',
    consumers: ['notification'],
    followers: ['notification'],
    data: z.object({ playlist_id: id, title: z.string(), by: id, shared_with: z.array(id).min(1) }),
  },
  'playlist.deleted': {
    meaning: 'A playlist was deleted, and its assignments with it. What people have watched stays theirs.',
    producer: 'playback-session',
    consumers: ['engagement'],
    followers: ['notification'],
    data: z.object({
      playlist_id: id,
      revision: z.number().int().min(1),
      by: id,
      deleted_at: time.optional(),
      /** Whose it was, and with whom it was shared. */
      created_by: id.optional(),
      shared_with: z.array(id).optional(),
    }),
  },
  'playlist.assigned': {
    meaning: 'A playlist was assigned to people who did not have it.',
    producer: 'playback-session',
    consumers: ['engagement', 'notification'],
    followers: ['notification'],
    data: z.object({ playlist_id: id, title: z.string(), by: id, assigned: z.array(id), assigned_date: time }),
  },
  'playlist.unassigned': {
    meaning: 'An assignment was taken away.',
    producer: 'playback-session',
    consumers: ['engagement'],
    followers: ['notification'],
    data: z.object({ playlist_id: id, by: id, unassigned: z.array(id), unassigned_date: time.optional() }),
  },
  'monitoring.started': {
    meaning: 'A monitored session began.',
    producer: 'playback-session',
    consumers: ['engagement'],
    followers: ['notification'],
    data: z.object({ person_id: id, sid: id, playlist_id: id, fence: z.number().int(), started_at: time }),
  },
  'monitoring.stopped': {
    meaning: 'A monitored session ended; at its last evidence when nobody ended it.',
    producer: 'playback-session',
    consumers: ['engagement'],
    followers: ['notification'],
    data: z.object({
      person_id: id,
      sid: id,
      playlist_id: id,
      fence: z.number().int(),
      started_at: time.optional(),
      stopped_at: time,
      reason: z.enum(['released', 'taken_over', 'signed_out', 'expired']),
    }),
  },
  'video.completed': {
    meaning: 'A person has been credited 90 % of a video.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({ person_id: id, playlist_id: id, video_id: z.string(), completed_at: time, ...titles }),
  },
  'playlist.completed': {
    meaning: 'A person has completed every playable video of a playlist.',
    producer: 'engagement',
    consumers: ['playback-session', 'notification'],
    data: z.object({ person_id: id, playlist_id: id, completed_at: time, playlist_title: titles.playlist_title }),
  },
  'integrity.noted': {
    meaning: 'Reports of one play were not credited, and why: signals for a supervisor, not verdicts.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({
      person_id: id,
      playlist_id: id,
      video_id: z.string(),
      /** How often each reason was noted since the last such event of this person and video. */
      notes: z.array(z.object({ code: integrityNote.shape.code, times: z.number().int().min(1) })).min(1),
      ...titles,
    }),
  },
  'video.unavailable': {
    meaning: 'A video of a playlist was found not to play. Told once a video and playlist.',
    producer: 'playback-session',
    consumers: ['notification'],
    data: z.object({
      playlist_id: id,
      video_id: z.string(),
      title: z.string(),
      /** Who met it; null when reading the source anew showed it. */
      person_id: id.nullable(),
      /** It is left out of what has to be watched; otherwise somebody of the staff has to look. */
      confirmed: z.boolean(),
      playlist_title: z.string(),
      created_by: id,
      shared_with: z.array(id),
    }),
  },
  'presence.changed': {
    meaning: 'People came online or their presence ended: signed out, closed, silent for 90 s. Live only.',
    producer: 'playback-session',
    consumers: [],
    followers: ['notification'],
    data: z.object({ people: z.array(z.object({ person_id: id, online: z.boolean() })).min(1) }),
  },
  'notifications.changed': {
    meaning: 'Notifications of these people were made, answered or read. Live only.',
    producer: 'notification',
    consumers: [],
    followers: ['notification'],
    data: z.object({ recipient_ids: z.array(id).min(1) }),
  },
  'comment.added': {
    meaning: 'Somebody commented on a video.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({
      comment_id: id,
      person_id: id,
      playlist_id: id,
      video_id: z.string(),
      timestamp: seconds,
      text: z.string(),
      ...titles,
    }),
  },
  'notification.reviewed': {
    meaning: 'A supervisor approved or rejected a notification.',
    producer: 'notification',
    consumers: [],
    data: z.object({
      notification_id: id,
      by: id,
      approved: z.boolean(),
      words: z.string(),
      comment_id: id.optional(),
      person_id: id.optional(),
    }),
  },
  'supervisor_request.created': {
    meaning: 'A manager asked for a supervisor.',
    producer: 'auth',
    consumers: [],
    data: z.object({ request_id: id, manager_id: id, supervisor_id: id }),
  },
  'supervisor_request.reviewed': {
    meaning: 'An administrator answered a manager’s request.',
    producer: 'auth',
    consumers: ['notification'],
    data: z.object({
      request_id: id,
      manager_id: id,
      supervisor_id: id,
      approved: z.boolean(),
      by: id,
      comment: z.string().optional(),
    }),
  },
  'chat.changed': {
    meaning: 'Messages were stored, read or are being written, many rooms in one event. Live only.',
    producer: 'chat',
    consumers: [],
    followers: ['notification'],
    data: z.object({
      changes: z
        .array(
          z.object({
            room_id: roomId,
            what: z.enum(['message', 'read', 'typing']),
            by: id,
            /** Who hears of it: for messages and reading both, for typing the other one. */
            person_ids: z.array(id).min(1).max(2),
          }),
        )
        .min(1),
    }),
  },
} as const satisfies Record<string, EventDeclaration>

export type EventType = keyof typeof events
export type EventData<T extends EventType> = z.infer<(typeof events)[T]['data']>

/** A CloudEvents 1.0 envelope in its JSON form. `subject` is the id of what it is about. */
export const cloudEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1).max(100),
  source: z.string().min(1).max(100),
  type: z.string().min(1).max(100),
  subject: z.string().max(200),
  time,
  data: z.unknown(),
  traceparent: z.string().optional(),
})

export interface DomainEvent<T extends string = string> {
  specversion: '1.0'
  id: string
  source: string
  type: T
  subject: string
  time: string
  data: T extends EventType ? EventData<T> : unknown
  traceparent?: string
}

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(events, type)
}

/** The services that must get events of this type; none for a type nobody has declared. */
export function consumersOf(type: string): readonly ServiceName[] {
  return isEventType(type) ? events[type].consumers : []
}
