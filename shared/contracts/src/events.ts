import { z } from 'zod'
import { conditions } from './conditions.ts'
import { integrityNote } from './engagement.ts'
import { dueDate, id, overrideAction, roomId, seconds, taskEndCause, time, timeZone } from './fields.ts'
import { limits } from './limits.ts'
import { type ServiceName, serviceNames } from './operation.ts'
import { personSnapshot, role } from './people.ts'
import { recurrence } from './recurrence.ts'
import { playlistSnapshot } from './snapshots.ts'

/** The declaration of one event type. Each service in `consumers` has a durable queue. */
export interface EventDeclaration<Data extends z.ZodType = z.ZodType> {
  readonly meaning: string
  readonly producer: ServiceName | 'every service'
  readonly consumers: readonly ServiceName[]
  /** Every instance of these services also receives the event live, without a durable queue. */
  readonly liveSubscribers?: readonly string[]
  readonly data: Data
}

const personChange = z.object({ person: personSnapshot, by: id.nullable() })
const peopleConsumers = [
  'playback-session',
  'engagement',
  'notification',
  'chat',
] as const satisfies readonly ServiceName[]

/** The most people in one event about an import; larger imports publish several events. */
export const peoplePerImportEvent = 200

/** The most people added, and the most removed, in one event about a group. */
export const groupMembersPerEvent = 200

/** The most people in one `assignment.recurred`; larger groups publish several events. */
export const peoplePerRecurrenceEvent = 200

/** The titles at that time, for notifications. Absent in events older than these fields. */
const titles = { playlist_title: z.string().optional(), video_title: z.string().optional() }

const commentFacts = z.object({
  comment_id: id,
  person_id: id,
  playlist_id: id,
  video_id: z.string(),
  timestamp: seconds,
  text: z.string(),
  ...titles,
})

/** The event catalogue. Data stay small: ids, and values that consumers cannot read later. */
export const events = {
  'user.created': {
    meaning: 'A person signed in for the first time, or an administrator was set up.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange,
  },
  'user.profile_changed': {
    meaning: 'Name, email, its verification or picture changed at the sign-in provider.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange,
  },
  'user.role_changed': {
    meaning: 'A person’s role changed.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange.extend({ previous_role: role }),
  },
  'user.supervisor_changed': {
    meaning: 'A person joined a supervisor’s team or left it.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange.extend({ previous_supervisor_id: id.nullable() }),
  },
  'user.manager_changed': {
    meaning: 'A supervisor got a manager or lost one.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange.extend({ previous_manager_id: id.nullable() }),
  },
  'user.deactivated': {
    meaning: 'An administrator deactivated a person, who left their team and cannot sign in any more.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange.extend({ previous_supervisor_id: id.nullable(), previous_manager_id: id.nullable() }),
  },
  'user.reactivated': {
    meaning: 'An administrator reactivated a person, who can sign in again and is in no team.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: personChange,
  },
  'user.erased': {
    meaning: 'An administrator erased a person. Every service erases what it holds of them.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    /** The person has no name and no email any more. `by` is null when a restore repeats it. */
    data: personChange.extend({
      erasure_id: id,
      /**
       * Names and email addresses that the person had before, for texts that contain them. Absent:
       * auth knows none, or the event is of an earlier version.
       */
      earlier_names: z.array(z.string()).optional(),
    }),
  },
  'user.erasure_completed': {
    meaning: 'A service holds nothing of an erased person any more but their id.',
    producer: 'every service',
    consumers: ['auth'],
    data: z.object({ erasure_id: id, person_id: id, service: z.enum(serviceNames), completed_at: time }),
  },
  'user.exported': {
    meaning: 'An administrator read all that a service holds of a person.',
    producer: 'every service',
    consumers: ['auth', 'engagement'],
    data: z.object({ person_id: id, by: id, service: z.enum(serviceNames), exported_at: time }),
  },
  'user.details_viewed': {
    meaning:
      'Somebody saw details of people that another service than engagement answers: the reasons of exceptions of their tasks. At most one a day for each viewer and person, repetitions by other replicas aside.',
    producer: 'playback-session',
    consumers: ['engagement'],
    data: z.object({ person_ids: z.array(id).min(1).max(limits.pageMax), by: id, viewed_at: time }),
  },
  'mail_settings.changed': {
    meaning: 'An administrator changed the words or languages of mails, or the rules of reminders. For the audit log.',
    producer: 'notification',
    consumers: ['auth'],
    data: z.object({
      /** `wording` without `kind`: the languages. */
      setting: z.enum(['wording', 'reminders']),
      by: id,
      changed_at: time,
      /** The kind of mail whose words changed; absent for languages and reminders. */
      kind: z.string().optional(),
      /** Absent for the default language, and in events older than this field. */
      language: z.string().optional(),
      /** Whether the default words are restored; absent for languages and reminders. */
      is_default: z.boolean().optional(),
      changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
    }),
  },
  'person.time_zone_changed': {
    meaning:
      'A person chose another time zone for reminders and for due dates that count in the time zone of each person.',
    producer: 'notification',
    consumers: ['playback-session'],
    data: z.object({
      person_id: id,
      /** Null: that of the organisation. */
      time_zone: timeZone.nullable(),
      /** Grows with each change of the person. */
      changed_at: time,
    }),
  },
  'user.deleted': {
    meaning:
      'An administrator deleted a person who was created by mistake, of whom nothing was recorded. Never followed by another event about them.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: z.object({
      person_id: id,
      by: id.nullable(),
      previous_supervisor_id: id.nullable(),
      previous_manager_id: id.nullable(),
    }),
  },
  'users.imported': {
    meaning:
      'An administrator imported people. Each event has some of them, with their roles and teams after the import.',
    producer: 'auth',
    consumers: peopleConsumers,
    liveSubscribers: ['notification'],
    data: z.object({
      import_id: id,
      by: id.nullable(),
      people: z.array(personSnapshot).min(1).max(peoplePerImportEvent),
    }),
  },
  'group.changed': {
    meaning: 'A group was created or renamed, or other supervisors may assign to it.',
    producer: 'auth',
    consumers: ['playback-session'],
    data: z.object({
      group_id: id,
      name: z.string(),
      /** The supervisors who may assign to the group. Directors and administrators always may. */
      assigners: z.array(id).max(limits.groupAssignersMax),
      /** Grows with every event about the group. */
      revision: z.number().int().min(1),
      /** Null if a rule of the group decided, or nobody is known. */
      by: id.nullable(),
    }),
  },
  'group.members_changed': {
    meaning: 'People became members of a group or left it. A large change has several events.',
    producer: 'auth',
    consumers: ['playback-session'],
    data: z.object({
      group_id: id,
      added: z.array(id).max(groupMembersPerEvent),
      removed: z.array(id).max(groupMembersPerEvent),
      revision: z.number().int().min(1),
      by: id.nullable(),
    }),
  },
  'group.deleted': {
    meaning: 'A group was deleted. Its members lose what is assigned to them only through it.',
    producer: 'auth',
    consumers: ['playback-session'],
    data: z.object({ group_id: id, revision: z.number().int().min(1), by: id.nullable() }),
  },
  'session.started': {
    meaning: 'A person signed in.',
    producer: 'auth',
    consumers: [],
    data: z.object({ sid: id, person_id: id, started_at: time }),
  },
  'session.revoked': {
    meaning:
      'A login session ended: the person, an administrator, the provider or a change of the account ended it, a new sign-in replaced it, or its refresh token was used twice.',
    producer: 'auth',
    consumers: ['playback-session'],
    liveSubscribers: ['gateway', 'notification'],
    data: z.object({ sid: id, person_id: id, reason: z.enum(['signed_out', 'replaced', 'token_reused']) }),
  },
  'administrators.changed': {
    meaning:
      'Somebody was invited to be an administrator, became one, or is none any more, or an administrator removed a second factor.',
    producer: 'auth',
    consumers: ['notification'],
    data: z.object({
      change: z.enum(['invited', 'joined', 'removed', 'second_factor_removed']),
      /** The administrator who joined, was removed, removed the factor, or invites. */
      person_id: id,
      /** The author of the change; null for the sign-in provider. */
      by: id.nullable(),
    }),
  },
  'session.token_reused': {
    meaning:
      'Somebody used a refresh token that was spent before. Two browsers have it, so its login session ended for both.',
    producer: 'auth',
    consumers: ['notification'],
    data: z.object({
      sid: id,
      person_id: id,
      /** The network that the spent token came from: an IPv4 address, or an IPv6 network. */
      network: z.string(),
    }),
  },
  'playlist.created': {
    meaning: 'A person created a playlist.',
    producer: 'playback-session',
    consumers: ['engagement'],
    liveSubscribers: ['notification'],
    data: playlistSnapshot,
  },
  'playlist.changed': {
    meaning: 'A playlist was edited, refreshed from its source, or shared with other people than before.',
    producer: 'playback-session',
    consumers: ['engagement'],
    liveSubscribers: ['notification'],
    data: playlistSnapshot,
  },
  'playlist.shared': {
    meaning: 'A manager shared a playlist with supervisors who did not have it.',
    producer: 'playback-session',
    consumers: ['notification'],
    liveSubscribers: ['notification'],
    data: z.object({ playlist_id: id, title: z.string(), by: id, shared_with: z.array(id).min(1) }),
  },
  'playlist.deleted': {
    meaning: 'A playlist and its assignments were deleted. Watch records stay.',
    producer: 'playback-session',
    consumers: ['engagement'],
    liveSubscribers: ['notification'],
    data: z.object({
      playlist_id: id,
      revision: z.number().int().min(1),
      by: id,
      deleted_at: time.optional(),
      /** The author, and the supervisors it was shared with. */
      created_by: id.optional(),
      shared_with: z.array(id).optional(),
    }),
  },
  'playlist.assigned': {
    meaning: 'A playlist was assigned to people who did not have it.',
    producer: 'playback-session',
    consumers: ['engagement', 'notification'],
    liveSubscribers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      by: id,
      assigned: z.array(id),
      assigned_date: time,
      /** The words to the assigned people. Absent without any. */
      note: z.string().optional(),
      /** By when the task is to be completed. Absent or null without a due date. */
      due: dueDate.nullable().optional(),
      /** By which terms the task repeats. Absent or null if it does not. */
      recurrence: recurrence.nullable().optional(),
      /** Absent or null for the default conditions. */
      conditions: conditions.nullable().optional(),
    }),
  },
  'assignment.due_changed': {
    meaning:
      'The due date, the recurrence or the conditions of assignments of a playlist were set, changed or removed.',
    producer: 'playback-session',
    consumers: ['engagement', 'notification'],
    liveSubscribers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      /** Null if the groups of these people changed, and another group gives the terms now. */
      by: id.nullable(),
      changed: z.array(id).min(1),
      due: dueDate.nullable(),
      changed_at: time,
      /** By which terms the task repeats now. Absent or null if it does not. */
      recurrence: recurrence.nullable().optional(),
      /** Null for the default conditions. Absent: they stay as they are. */
      conditions: conditions.nullable().optional(),
      /**
       * True: the due date is as before, or nobody works towards it, because the tasks are closed.
       * Absent: it changed.
       */
      keeps_due: z.boolean().optional(),
      /** True: the conditions changed. Absent if they did not, and in events before this field. */
      changes_conditions: z.boolean().optional(),
      /** Absent without one, and in events older than this field. */
      reason: z.string().optional(),
    }),
  },
  'assignment.recurred': {
    meaning:
      'The next occurrence of a recurring task opened. What was watched before counts for the occurrence before.',
    producer: 'playback-session',
    consumers: ['engagement', 'notification'],
    liveSubscribers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      people: z.array(id).min(1).max(peoplePerRecurrenceEvent),
      due: dueDate,
      recurrence,
      /** Absent or null for the default conditions. */
      conditions: conditions.nullable().optional(),
      /** Of the occurrence that ended. */
      previous_due: dueDate,
      /**
       * Due dates of occurrences in between that never opened, oldest first. Of too many, the first
       * one and the latest ones: the first one ends the validity of a completion before.
       */
      skipped: z.array(dueDate).max(limits.skippedOccurrencesMax),
      recurred_at: time,
    }),
  },
  'assignment.overridden': {
    meaning:
      'A superior exempted people from a task, marked it as done by hand, took either back, or started the task again.',
    producer: 'playback-session',
    consumers: ['engagement', 'notification'],
    liveSubscribers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      by: id,
      changed: z.array(id).min(1),
      action: overrideAction,
      reason: z.string(),
      changed_at: time,
    }),
  },
  'playlist.unassigned': {
    meaning: 'An assignment was removed.',
    producer: 'playback-session',
    consumers: ['engagement', 'notification'],
    liveSubscribers: ['notification'],
    data: z.object({
      playlist_id: id,
      /** Null if people lost the task without a person’s decision. */
      by: id.nullable(),
      unassigned: z.array(id),
      unassigned_date: time.optional(),
      /**
       * The reason why these people lost the task that they had by a group. Absent if a person
       * unassigned it, and in events before this field.
       */
      cause: taskEndCause.optional(),
    }),
  },
  'task.due': {
    meaning:
      'A task that is not completed is due soon (by default within a day), or its due date has passed. Within a grace period, the event names its end. At most one event for each reminder of a due date.',
    producer: 'playback-session',
    consumers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      /** `overdue`: the due date has passed, also if a grace period still runs. */
      reason: z.enum(['due_soon', 'overdue']),
      people: z.array(id).min(1),
      due: dueDate,
      /**
       * The end of the grace period that runs after the due date. Absent without one, after its
       * end, and in earlier versions.
       */
      grace_until: dueDate.optional(),
    }),
  },
  'task.escalated': {
    meaning:
      'People have not completed a task so many days after its due date (DUE_ESCALATION_DAYS_AFTER). At most one event for each task and number of days.',
    producer: 'playback-session',
    consumers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      people: z.array(id).min(1),
      /**
       * The manager of their supervisor, when the event was published. The consumer notifies the
       * manager of its own moment.
       */
      recipient: id,
      due: dueDate,
    }),
  },
  'task.uncompletable': {
    meaning:
      'People have an open task that they cannot complete. Published once for each task and reason, until the reason ends.',
    producer: 'playback-session',
    consumers: ['notification'],
    data: z.object({
      playlist_id: id,
      title: z.string(),
      /**
       * no_playable_video: no video of the playlist plays. no_access: the people are deactivated.
       */
      reason: z.enum(['no_playable_video', 'no_access']),
      people: z.array(id).min(1),
      /**
       * Their supervisor, of deactivated people the one before. If that one is not active, it is
       * their manager, the person who assigned the task, or each director and administrator.
       */
      recipient: id,
    }),
  },
  'task.reminded': {
    meaning: 'A superior reminded people of the unfinished task that is theirs today.',
    producer: 'playback-session',
    consumers: ['notification'],
    data: z.object({ playlist_id: id, title: z.string(), by: id, reminded: z.array(id).min(1), reminded_at: time }),
  },
  'monitoring.started': {
    meaning: 'A monitored session began.',
    producer: 'playback-session',
    consumers: ['engagement'],
    liveSubscribers: ['notification'],
    data: z.object({ person_id: id, sid: id, playlist_id: id, fence: z.number().int(), started_at: time }),
  },
  'monitoring.stopped': {
    meaning: 'A monitored session ended. An abandoned session ends at the time of its last evidence.',
    producer: 'playback-session',
    consumers: ['engagement'],
    liveSubscribers: ['notification'],
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
    meaning: 'A person was credited with 90% of a video.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({ person_id: id, playlist_id: id, video_id: z.string(), completed_at: time, ...titles }),
  },
  'playlist.completed': {
    meaning: "Every playable video of a person's task has reached the required percentage.",
    producer: 'engagement',
    consumers: ['playback-session', 'notification'],
    data: z.object({
      person_id: id,
      playlist_id: id,
      completed_at: time,
      playlist_title: titles.playlist_title,
      /** The latest reset of the task that the completion comes after. Absent: none is known. */
      reset_at: time.optional(),
      /**
       * The assignment that an earlier completion counts for. Absent of a new completion, and in
       * earlier versions.
       */
      assigned_date: time.optional(),
    }),
  },
  'integrity.noted': {
    meaning:
      'Watch reports were not credited, or an attention check was missed, with the reasons. These are signals for a supervisor, not verdicts.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({
      person_id: id,
      playlist_id: id,
      video_id: z.string(),
      /** The number of notes by reason, since the last event of this person and video. */
      notes: z.array(z.object({ code: integrityNote.shape.code, times: z.number().int().min(1) })).min(1),
      ...titles,
    }),
  },
  'report.due': {
    meaning:
      'Recipients get a saved report by mail, because its time has come or its owner pressed “Send now”. At most one event for each report and time. Times that pass while no replica runs share one event.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({
      report_id: id,
      /** The planned time, or that of the call. With the report it names the occurrence. */
      due_at: time,
      /**
       * The day of `due_at` on the clocks of the schedule, from which the period counts. Absent if
       * the owner pressed “Send now”, and in earlier versions.
       */
      day: z.iso.date().optional(),
      /** They were recipients at that time. Their rights are checked when the mail is sent. */
      recipients: z.array(id).min(1).max(limits.savedReportRecipientsMax),
    }),
  },
  'video.unavailable': {
    meaning: 'A video of a playlist does not play. Published once for each video and playlist.',
    producer: 'playback-session',
    consumers: ['notification'],
    data: z.object({
      playlist_id: id,
      video_id: z.string(),
      title: z.string(),
      /** The person who reported it; null when a refresh from the source showed it. */
      person_id: id.nullable(),
      /** True: the video no longer counts. False: a member of staff must check it. */
      confirmed: z.boolean(),
      playlist_title: z.string(),
      created_by: id,
      shared_with: z.array(id),
    }),
  },
  'presence.changed': {
    meaning: 'People came online or went offline: sign-out, closed page, or 90 s without a request. Live only.',
    producer: 'playback-session',
    consumers: [],
    liveSubscribers: ['notification'],
    data: z.object({ people: z.array(z.object({ person_id: id, online: z.boolean() })).min(1) }),
  },
  'notifications.changed': {
    meaning: 'Notifications of these people were created, reviewed or read. Live only.',
    producer: 'notification',
    consumers: [],
    liveSubscribers: ['notification'],
    data: z.object({ recipient_ids: z.array(id).min(1) }),
  },
  'comment.added': {
    meaning: 'A person commented on a video.',
    producer: 'engagement',
    consumers: ['notification'],
    data: commentFacts.extend({
      /** The comment that this one answers, and its author. Absent: it is no reply. */
      reply_to: z.object({ comment_id: id, person_id: id }).optional(),
    }),
  },
  'comment.edited': {
    meaning: 'The author changed the text of a comment. The data is that of the comment after the edit.',
    producer: 'engagement',
    consumers: ['notification'],
    data: commentFacts.extend({ revision: z.number().int().min(2) }),
  },
  'comment.deleted': {
    meaning: 'The author deleted a comment.',
    producer: 'engagement',
    consumers: ['notification'],
    data: z.object({
      comment_id: id,
      person_id: id,
      /** The last revision: earlier and equal ones are out of date. */
      revision: z.number().int().min(1),
      deleted_at: time,
    }),
  },
  'notification.reviewed': {
    meaning: 'A supervisor approved or rejected a notification.',
    producer: 'notification',
    consumers: ['engagement'],
    data: z.object({
      notification_id: id,
      by: id,
      approved: z.boolean(),
      words: z.string(),
      comment_id: id.optional(),
      person_id: id.optional(),
      /** The revision of the comment that was reviewed. Absent: 1. */
      comment_revision: z.number().int().min(1).optional(),
      /** Present if the review is older than the event. */
      reviewed_at: time.optional(),
    }),
  },
  'supervisor_request.created': {
    meaning: 'A manager requested a supervisor.',
    producer: 'auth',
    consumers: ['notification'],
    data: z.object({ request_id: id, manager_id: id, supervisor_id: id }),
  },
  'supervisor_request.reviewed': {
    meaning: 'An administrator reviewed a manager’s request.',
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
    meaning: 'Messages were stored or read, or a person is typing. One event covers many rooms. Live only.',
    producer: 'chat',
    consumers: [],
    liveSubscribers: ['notification'],
    data: z.object({
      changes: z
        .array(
          z.object({
            room_id: roomId,
            what: z.enum(['message', 'read', 'typing']),
            by: id,
            /** The recipients: both people for messages and reads, the partner for typing. */
            person_ids: z.array(id).min(1).max(2),
          }),
        )
        .min(1),
    }),
  },
} as const satisfies Record<string, EventDeclaration>

export type EventType = keyof typeof events
export type EventData<T extends EventType> = z.infer<(typeof events)[T]['data']>

/** A CloudEvents 1.0 envelope in its JSON form. `subject` is the id of the object that changed. */
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

/** The services that publish events of a declaration. */
export function producersOf({ producer }: EventDeclaration): readonly ServiceName[] {
  return producer === 'every service' ? serviceNames : [producer]
}

/** Whether the event names a declared producer of its type as its source. */
export function isFromProducer({ type, source }: { type: string; source: string }): boolean {
  return isEventType(type) && (producersOf(events[type]) as readonly string[]).includes(source)
}

/** The services that consume events of this type; none for an undeclared type. */
export function consumersOf(type: string): readonly ServiceName[] {
  return isEventType(type) ? events[type].consumers : []
}
