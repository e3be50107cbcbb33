import { limits } from '@watchline/contracts/limits'
import type { MailKind, MailState } from '@watchline/contracts/mail'
import { isText, retireIndexes } from '@watchline/kit/mongo/database'
import { type Connection, type Model, Schema } from 'mongoose'
import type { ActivityGroup } from '../rules/activity.ts'
import type { LocalDueDate } from '../rules/due-date.ts'
import { fromStoredGroup, type StoredGroup, toStoredGroup } from './stored-group.ts'

/** One mail for one reason and one person. */
export interface Mail {
  id: string
  recipientId: string
  kind: MailKind
  /** The activity that it is about; absent for other mails, whose facts are loaded when sent. */
  group?: ActivityGroup | undefined
  /** The task that must still be open, and due at this time, when the mail is sent. */
  task?: MailTask | undefined
  /** The comment to approve. The mail is sent only while this revision waits for approval. */
  comment?: { id: string; revision: number } | undefined
  /** The saved report that the mail contains. */
  reportId?: string | undefined
  /** The time of the report's occurrence; absent in mails of earlier versions. */
  reportDueAt?: string | undefined
  /** The day from which the period of the report counts, if its schedule chose it. */
  reportDay?: string | undefined
  /** The tasks that were escalated to the manager. */
  escalatedTasks?: readonly EscalatedTask[] | undefined
  attempts: number
  createdAt: Date
  /** Set if it waited for a moment at which it was allowed. */
  heldUntil?: Date | undefined
}

export interface MailTask {
  playlistId: string
  dueAt?: string | undefined
  /** Absent without a due date, and in mails of earlier versions. */
  localDue?: LocalDueDate | undefined
  /** The end of the grace period; absent unless the mail is about a task in it. */
  graceUntil?: string | undefined
}

/** A task that was open so long after its due date that the manager is notified. */
export interface EscalatedTask {
  personId: string
  playlistId: string
  title: string
  dueAt: string
  /** Absent in mails of earlier versions. */
  localDue?: LocalDueDate | undefined
}

/** A reason for which a mail was cancelled. */
export type CancelCode = 'unverified_address'

interface StoredTask {
  person_id: string
  playlist_id: string
  title: string
  due_at: string
  local_due?: LocalDueDate
}

export interface StoredMail {
  _id: string
  recipient_id: string
  kind: MailKind
  /** Absent once the mail is settled: nobody needs its texts any more. */
  facts?: StoredGroup
  /** For mails that several events, or none, can cause: no two mails have the same reason. */
  reason_id?: string
  task?: { playlist_id: string; due_at?: string; local_due?: LocalDueDate; grace_until?: string }
  /**
   * Replaces `task` for `reportedTaskKinds`. Versions that do not know these kinds would cancel the
   * mail, because its `task` is closed, or not the recipient's. Without it they retry.
   */
  reported_task?: StoredMail['task']
  /** The comment to approve. */
  comment?: { id: string; revision: number }
  /** The saved report that the mail contains. Its content is made when the mail is sent. */
  report_id?: string
  report_due_at?: string
  report_day?: string
  /** Absent once the mail is settled, as are its texts. Names are loaded when it is sent. */
  escalated_tasks?: StoredTask[]
  state: MailState
  attempts: number
  created_at: Date
  /** The address of the latest attempt; a delivery report may name another one. */
  address?: string
  /** The time at which the job looks at the mail again. Absent once it is settled. */
  next_at?: Date
  /** The end of its wait for quiet times; in the past if it does not wait any more. */
  held_until?: Date
  /** Names one attempt of one process. */
  claim?: string
  /**
   * While it is sent: since then the server may have the mail, although its answer is not recorded.
   */
  offered_at?: Date
  /** The server's answer, or why the mail was cancelled. */
  explanation?: string
  /** Of some cancelled mails, so that they can be counted. Absent in mails of earlier versions. */
  cancel_code?: CancelCode
  /** The time at which it was sent, failed or cancelled. */
  settled_at?: Date
}

export type MailModel = Model<StoredMail>

/**
 * MongoDB removes a mail `retentionS` seconds after it was settled. It keeps one that waits, unless
 * no process has looked at it for so long: without a mail server none does.
 */
export function createMailModel(connection: Connection, retentionS: number): MailModel {
  const schema = new Schema<StoredMail>(
    {
      _id: String,
      recipient_id: String,
      kind: String,
      facts: Schema.Types.Mixed,
      reason_id: String,
      task: Schema.Types.Mixed,
      reported_task: Schema.Types.Mixed,
      comment: Schema.Types.Mixed,
      report_id: String,
      report_due_at: String,
      report_day: String,
      escalated_tasks: { type: Schema.Types.Mixed },
      state: String,
      attempts: Number,
      created_at: Date,
      address: String,
      // Not sooner than the mail would fail for its age.
      next_at: { type: Date, expires: Math.max(retentionS, limits.mailMaxAgeMs / 1_000) },
      held_until: Date,
      claim: String,
      offered_at: Date,
      explanation: String,
      cancel_code: String,
      settled_at: { type: Date, expires: retentionS },
    },
    { versionKey: false, collection: 'mails', minimize: false },
  )
  // The job looks for what is to be done, an erasure and an export for a person, the status by
  // state.
  const unsettled = { next_at: { $exists: true } }
  schema.index({ state: 1, next_at: 1 }, { partialFilterExpression: unsettled, name: 'unsettled' })
  // For required mails, which pass the others.
  schema.index({ kind: 1, state: 1, next_at: 1 }, { partialFilterExpression: unsettled, name: 'unsettled_by_kind' })
  schema.index({ recipient_id: 1, created_at: -1 })
  schema.index({ state: 1, created_at: -1 })
  schema.index({ cancel_code: 1 }, { partialFilterExpression: { cancel_code: isText } })
  // Two processes that queue the same digest, or a manager's mail of the same day, store one mail.
  schema.index({ reason_id: 1 }, { unique: true, partialFilterExpression: { reason_id: isText } })
  // It also removed mails that were held for longer than mails are kept.
  retireIndexes(schema, 'created_at_1')
  return connection.model<StoredMail>('Mail', schema)
}

export type NewMail = Omit<Mail, 'attempts' | 'heldUntil' | 'escalatedTasks'>

/** The kinds whose task is stored as `reported_task`. */
const reportedTaskKinds: readonly MailKind[] = ['task_exempted', 'task_marked_done', 'task_uncompletable']

export function toRow({
  id,
  recipientId,
  kind,
  group,
  task,
  comment,
  reportId,
  reportDueAt,
  reportDay,
  createdAt,
}: NewMail): StoredMail {
  return {
    _id: id,
    recipient_id: recipientId,
    kind: kind === 'task_in_grace' ? 'task_overdue' : kind,
    ...(group && { facts: toStoredGroup(group) }),
    ...(task && { [reportedTaskKinds.includes(kind) ? 'reported_task' : 'task']: toStoredMailTask(task) }),
    ...(comment && { comment }),
    ...(reportId !== undefined && { report_id: reportId }),
    ...(reportDueAt !== undefined && { report_due_at: reportDueAt }),
    ...(reportDay !== undefined && { report_day: reportDay }),
    state: 'waiting',
    attempts: 0,
    created_at: createdAt,
    next_at: createdAt,
  }
}

function toStoredMailTask({ playlistId, dueAt, localDue, graceUntil }: MailTask): StoredMail['task'] {
  return {
    playlist_id: playlistId,
    ...(dueAt && { due_at: dueAt }),
    ...(localDue && { local_due: localDue }),
    ...(graceUntil && { grace_until: graceUntil }),
  }
}

/**
 * A reminder of a task in its grace period is stored as `task_overdue`, which it is once that has
 * ended. Versions that do not know `task_in_grace` would cancel it, as a kind that nobody chose.
 */
export function kindAt({ kind, task }: Pick<StoredMail, 'kind' | 'task'>, moment: Date): MailKind {
  const isInGrace = task?.grace_until !== undefined && Date.parse(task.grace_until) > moment.getTime()
  return kind === 'task_overdue' && isInGrace ? 'task_in_grace' : kind
}

export function toStoredTask({ personId, playlistId, title, dueAt, localDue }: EscalatedTask): StoredTask {
  const local_due = localDue && { local_due: localDue }
  return { person_id: personId, playlist_id: playlistId, title, due_at: dueAt, ...local_due }
}

function fromStoredTask({ person_id, playlist_id, title, due_at, local_due }: StoredTask): EscalatedTask {
  return { personId: person_id, playlistId: playlist_id, title, dueAt: due_at, localDue: local_due }
}

/** The mail as it is to be sent at `now`. */
export function fromRow(row: StoredMail, now: Date): Mail {
  const { _id, recipient_id, facts, comment, report_id, report_due_at, report_day, escalated_tasks } = row
  const task = row.task ?? row.reported_task
  return {
    id: _id,
    recipientId: recipient_id,
    kind: kindAt(row, now),
    group: facts && fromStoredGroup(facts),
    task: task && { playlistId: task.playlist_id, dueAt: task.due_at, localDue: task.local_due },
    comment,
    reportId: report_id,
    reportDueAt: report_due_at,
    reportDay: report_day,
    escalatedTasks: escalated_tasks?.map(fromStoredTask),
    attempts: row.attempts,
    createdAt: row.created_at,
    heldUntil: row.held_until,
  }
}
