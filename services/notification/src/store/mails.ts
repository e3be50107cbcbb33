import { randomUUID } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { type MailKind, type MailState, requiredMailKinds } from '@watchline/contracts/mail'
import { isText, newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema, type UpdateQuery } from 'mongoose'
import type { ActivityGroup } from '../rules/activity.ts'
import type { LocalDueDate } from '../rules/due-date.ts'
import { dayAfter } from '../rules/quiet-times.ts'
import { shortenReply } from '../rules/shorten-reply.ts'
import { mergeUncompletable } from '../rules/uncompletable-cause.ts'
import { fromStoredGroup, type StoredGroup, toStoredGroup } from './stored-group.ts'

/** One mail for one reason and one person. */
export interface Mail {
  id: string
  recipientId: string
  kind: MailKind
  /** The activity that it is about; absent for other mails, whose facts are asked for when sent. */
  group?: ActivityGroup | undefined
  /** The task that must still be open, and due at this time, when the mail is sent. */
  task?: MailTask | undefined
  /** Of a request to approve a comment: the revision that must still wait when the mail is sent. */
  comment?: { id: string; revision: number } | undefined
  /** Of a saved report. */
  reportId?: string | undefined
  /** The time of the report's occurrence; absent in mails of earlier versions. */
  reportDueAt?: string | undefined
  /** Of a manager's mail: the tasks that were escalated to them. */
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

/** A mail that one process is sending. Only the holder of the claim may change it. */
export interface ClaimedMail extends Mail {
  claim: string
}

/** A reason for which a mail was cancelled. */
export type CancelCode = 'unverified_address'

export interface TroubledMail {
  id: string
  recipientId: string
  kind: MailKind
  state: MailState
  attempts: number
  createdAt: Date
  explanation?: string
}

interface StoredTask {
  person_id: string
  playlist_id: string
  title: string
  due_at: string
  local_due?: LocalDueDate
}

interface StoredMail {
  _id: string
  recipient_id: string
  kind: MailKind
  /** Absent once the mail is settled: nobody needs its texts any more. */
  facts?: StoredGroup
  /** Of mails that several events, or none, can cause: no two mails have the same reason. */
  reason_id?: string
  task?: { playlist_id: string; due_at?: string; local_due?: LocalDueDate }
  /**
   * Replaces `task` for `reportedTaskKinds`. Versions that do not know these kinds would cancel the
   * mail, because its `task` is closed, or not the recipient's. Without it they retry.
   */
  reported_task?: StoredMail['task']
  /** Of a request to approve a comment. */
  comment?: { id: string; revision: number }
  /** Of a saved report, whose content is asked for when it is sent. */
  report_id?: string
  report_due_at?: string
  /** Absent once the mail is settled, as are its texts. Names are asked for when it is sent. */
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

/** A process renews its claims. Another one may take an expired claim. */
export const claimMs = 15_000

export type MailStore = ReturnType<typeof createMailStore>

/** The states of a mail before it is settled. */
export const unsettledStates: readonly MailState[] = ['waiting', 'sending', 'unknown']

/** The fields that only an unsettled mail has. */
const unsettledFields = {
  ...{ facts: 1, escalated_tasks: 1, next_at: 1, claim: 1, offered_at: 1, held_until: 1 },
} as const

/** The outbox of mails. */
export function createMailStore(connection: Connection, retentionS: number) {
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
      escalated_tasks: { type: Schema.Types.Mixed },
      state: String,
      attempts: Number,
      created_at: { type: Date, expires: retentionS },
      address: String,
      next_at: Date,
      held_until: Date,
      claim: String,
      offered_at: Date,
      explanation: String,
      cancel_code: String,
      settled_at: Date,
    },
    { versionKey: false, collection: 'mails', minimize: false },
  )
  // The job looks for what is to be done, an erasure and an export for a person, the status by
  // state.
  const unsettled = { next_at: { $exists: true } }
  schema.index({ state: 1, next_at: 1 }, { partialFilterExpression: unsettled, name: 'unsettled' })
  schema.index({ recipient_id: 1, created_at: -1 })
  schema.index({ state: 1, created_at: -1 })
  schema.index({ cancel_code: 1 }, { partialFilterExpression: { cancel_code: isText } })
  // Two processes that queue the same digest, or a manager's mail of the same day, store one mail.
  schema.index({ reason_id: 1 }, { unique: true, partialFilterExpression: { reason_id: isText } })
  const stored = connection.model<StoredMail>('Mail', schema)

  async function changeClaimed({ id, claim }: ClaimedMail, update: UpdateQuery<StoredMail>): Promise<boolean> {
    const { matchedCount } = await stored.updateOne({ _id: id, claim }, update)
    return matchedCount === 1
  }

  const settleMail = (mail: ClaimedMail, state: MailState, now: Date, explanation?: string, cancelCode?: CancelCode) =>
    changeClaimed(mail, {
      $set: {
        ...{ state, settled_at: now },
        ...(explanation !== undefined && { explanation: shortenReply(explanation) }),
        ...(cancelCode && { cancel_code: cancelCode }),
      },
      $unset: { ...unsettledFields, ...(explanation === undefined && { explanation: 1 }) },
    })

  async function addMissing(rows: readonly (StoredMail & { reason_id: string })[], session: ClientSession) {
    const reasons = rows.map(row => row.reason_id)
    const known = await stored.find({ reason_id: { $in: reasons } }, { reason_id: 1 }, { session })
    const missing = new Map(rows.map(row => [row.reason_id, row]))
    for (const { reason_id = '' } of known) missing.delete(reason_id)
    if (missing.size > 0) await stored.insertMany([...missing.values()], { session })
  }

  return {
    add: async (mails: readonly NewMail[], session: ClientSession): Promise<void> => {
      if (mails.length > 0) await stored.insertMany(mails.map(toRow), { session })
    },

    /** Stores a digest for each recipient who has none of this date; others keep theirs. */
    addDigests: async (recipientIds: readonly string[], date: string, createdAt: Date): Promise<void> => {
      const rows = recipientIds.map(recipientId => ({
        ...toRow({ id: newId(), recipientId, kind: 'team_digest', createdAt }),
        reason_id: `digest:${recipientId}:${date}`,
      }))
      await stored.insertMany(rows, { ordered: false }).catch(error => {
        if (!isDuplicateKey(error)) throw error
      })
    },

    /** Stores a mail of a report for each recipient who has none of this occurrence. */
    addReports: async (
      recipientIds: readonly string[],
      { reportId, dueAt, createdAt }: { reportId: string; dueAt: string; createdAt: Date },
      session: ClientSession,
    ): Promise<void> => {
      const rows = recipientIds.map(recipientId => ({
        ...toRow({ id: newId(), recipientId, kind: 'saved_report', reportId, reportDueAt: dueAt, createdAt }),
        reason_id: `report:${reportId}:${dueAt}:${recipientId}`,
      }))
      // A restored backup may publish an occurrence again, as another event.
      await addMissing(rows, session)
    },

    /**
     * Stores a mail for each recipient who has none of this revision. A mail that the server does
     * not have is replaced: another process may be cancelling it because the comment had moved.
     */
    addApprovals: async (mails: readonly ApprovalMail[], session: ClientSession): Promise<void> => {
      if (mails.length === 0) return
      const rows = mails.map(mail => ({
        ...toRow({ ...mail, kind: 'comment_to_approve' }),
        reason_id: `comment:${mail.comment.id}:${mail.comment.revision}:${mail.recipientId}`,
      }))
      const unsentStates: readonly MailState[] = ['waiting', 'sending', 'cancelled']
      const reason_id = { $in: rows.map(row => row.reason_id) }
      await stored.deleteMany({ reason_id, state: { $in: unsentStates }, offered_at: null }, { session })
      await addMissing(rows, session)
    },

    /**
     * Adds tasks to the mail about escalated tasks for which the recipient waits, or stores one for
     * `sendAt`. A mail that is being sent, or sent again, gets no more: if it fails, new tasks must
     * not fail with it. Two transactions that store the same one conflict.
     */
    addEscalated: async (
      {
        recipientId,
        tasks,
        sendAt,
        now,
      }: { recipientId: string; tasks: readonly EscalatedTask[]; sendAt: Date; now: Date },
      session: ClientSession,
    ): Promise<void> => {
      const kind = 'task_escalated'
      const escalated_tasks = tasks.map(toStoredTask)
      const { matchedCount } = await stored.updateOne(
        {
          ...{ recipient_id: recipientId, kind, state: 'waiting' },
          $or: [{ created_at: { $gte: now } }, { held_until: { $gt: now } }],
        },
        { $push: { escalated_tasks: { $each: escalated_tasks } } },
        { session },
      )
      if (matchedCount > 0) return
      const reason_id = `escalation:${recipientId}:${sendAt.toISOString()}`
      // Its age and its date count from the moment at which it may be sent.
      const row = toRow({ id: newId(), recipientId, kind, createdAt: sendAt })
      await stored.insertMany([{ ...row, reason_id, escalated_tasks }], { session })
    },

    /**
     * Adds people to the mail about their task and its cause that waits for its first attempt, and
     * sends it at `sendAt` if that is earlier. Without one it stores a mail. Each date has one
     * mail: if that of `date` gets no more people, they are in that of the next date. A mail that
     * is being sent, or sent again, gets no more: if it fails, they must not fail with it. Two
     * transactions that change the same mail conflict.
     */
    addUncompletable: async (
      { recipientId, group, date, sendAt, momentOf, now }: UncompletableAddition,
      session: ClientSession,
    ): Promise<void> => {
      const playlistId = group.playlist?.id ?? ''
      const reason = `uncompletable:${recipientId}:${playlistId}:${group.cause}:`
      // Every id that begins with the reason: `;` is the character after `:`. The order of ids is
      // that of dates. Earlier versions stored times in place of dates.
      const rows = await stored
        .find(
          {
            reason_id: { $gte: reason, $lt: `${reason.slice(0, -1)};` },
            $or: [{ state: 'waiting' }, { reason_id: { $gte: reason + date } }],
          },
          { reason_id: 1, state: 1, facts: 1, created_at: 1, held_until: 1, address: 1 },
          { session },
        )
        .sort({ reason_id: 1 })
        .lean()
      const dateOf = ({ reason_id = '' }: Pick<StoredMail, 'reason_id'>) =>
        reason_id.slice(reason.length, reason.length + 10)
      let mailDate = date
      let createdAt = sendAt
      for (;;) {
        const waiting = rows.find(row => dateOf(row) <= mailDate && isBeforeFirstAttempt(row, now))
        if (waiting?.facts) {
          const facts = toStoredGroup(mergeUncompletable(fromStoredGroup(waiting.facts), group))
          // The mail of a later date keeps its time: that of this date was sent, or will be.
          const isEarlier = dateOf(waiting) <= date && sendAt < waiting.created_at
          const times = isEarlier ? { created_at: sendAt, next_at: sendAt } : {}
          await stored.updateOne({ _id: waiting._id }, { $set: { facts, ...times } }, { session })
          return
        }
        const ofDate = rows.find(({ reason_id }) => reason_id === reason + mailDate)
        if (!ofDate) break
        if (ofDate.state === 'cancelled' && ofDate.address === undefined) {
          // Nobody was left in it, and no server has it, so the date has no mail.
          await stored.deleteOne({ _id: ofDate._id }, { session })
          break
        }
        mailDate = dayAfter(mailDate)
        createdAt = momentOf(mailDate, ofDate.created_at)
      }
      const kind = 'task_uncompletable'
      // Its age counts from the moment at which it may be sent.
      const row = toRow({ id: newId(), recipientId, kind, group, task: { playlistId }, createdAt })
      await stored.insertMany([{ ...row, reason_id: reason + mailDate }], { session })
    },

    /**
     * Claims the mail that waits longest; undefined if none is due. Claims of dead processes have
     * expired: a mail that the server cannot have is sent again, any other one becomes unknown. It
     * keeps its claim, so that a late answer of that attempt can still settle it.
     */
    claimNext: async (now: Date, unknownUntil: Date): Promise<ClaimedMail | undefined> => {
      const due = { next_at: { $lte: now } }
      await stored.updateMany(
        { ...due, state: 'sending', offered_at: { $gt: new Date(0) } },
        { $set: { state: 'unknown', next_at: unknownUntil }, $unset: { offered_at: 1 } },
      )
      const claim = randomUUID()
      const row = await stored
        .findOneAndUpdate(
          { ...due, state: { $in: unsettledStates }, offered_at: null },
          {
            $set: { state: 'sending', claim, next_at: new Date(now.getTime() + claimMs) },
            $inc: { attempts: 1 },
          },
          { sort: { next_at: 1 }, returnDocument: 'after', hint: 'unsettled' },
        )
        .lean()
      return row ? { ...fromRow(row), claim } : undefined
    },

    /**
     * Changes nothing if another process has taken the mail or called its outcome unknown, or if an
     * erasure has removed it.
     */
    renewClaim: async ({ id, claim }: ClaimedMail, now: Date): Promise<void> => {
      const next_at = new Date(now.getTime() + claimMs)
      await stored.updateOne({ _id: id, claim, state: 'sending' }, { $set: { next_at } })
    },

    /**
     * Records that the server is about to get the mail. Only one process passes, because the claim
     * is compared in the same step; false means that this one must not send.
     */
    markOffered: (mail: ClaimedMail, address: string, now: Date): Promise<boolean> =>
      changeClaimed(mail, { $set: { address, offered_at: now, next_at: new Date(now.getTime() + claimMs) } }),

    settleMail,

    /** The server does not have the mail, and it is tried again at `next`. */
    postpone: (
      mail: ClaimedMail,
      next: Date,
      { explanation, countsAttempt }: { explanation?: string; countsAttempt: boolean },
    ): Promise<boolean> =>
      changeClaimed(mail, {
        $set: {
          state: 'waiting',
          next_at: next,
          ...(explanation !== undefined && { explanation: shortenReply(explanation) }),
        },
        $unset: { claim: 1, offered_at: 1 },
        ...(!countsAttempt && { $inc: { attempts: -1 } }),
      }),

    /** A quiet time: nothing is sent before `until`. */
    hold: (mail: ClaimedMail, until: Date): Promise<boolean> =>
      changeClaimed(mail, {
        $set: { state: 'waiting', next_at: until, held_until: until },
        $unset: { claim: 1 },
        $inc: { attempts: -1 },
      }),

    /** Whether the person has a later reminder of the same due date. */
    hasLaterReminder: async ({ recipientId, task, createdAt }: Mail): Promise<boolean> => {
      const sameDue = { 'task.playlist_id': task?.playlistId, 'task.due_at': task?.dueAt }
      const filter = {
        recipient_id: recipientId,
        created_at: { $gt: createdAt },
        kind: { $in: requiredMailKinds },
        ...sameDue,
      }
      return (await stored.exists(filter)) !== null
    },

    /**
     * Mails that wait for the end of a quiet time, of everybody or of one recipient, are looked at
     * now. Their age counts from now.
     */
    releaseHeld: async (
      now: Date,
      { recipientId, session }: { recipientId?: string; session?: ClientSession } = {},
    ): Promise<void> => {
      const recipient = recipientId === undefined ? {} : { recipient_id: recipientId }
      await stored.updateMany(
        { ...recipient, state: 'waiting', next_at: { $gt: now }, held_until: { $gt: now } },
        { $set: { next_at: now, held_until: now } },
        { ...(recipientId === undefined && { hint: 'unsettled' }), ...(session && { session }) },
      )
    },

    /** Replaces the tasks of a manager's mail. False if another process has taken the mail. */
    replaceEscalated: async (
      { id, claim }: ClaimedMail,
      tasks: readonly EscalatedTask[],
      session: ClientSession,
    ): Promise<boolean> => {
      const change = { $set: { escalated_tasks: tasks.map(toStoredTask) } }
      const { matchedCount } = await stored.updateOne({ _id: id, claim, state: 'sending' }, change, { session })
      return matchedCount === 1
    },

    /**
     * The server may have the mail. It is sent again at `until`, unless a report settles it before.
     */
    markUnknown: (mail: ClaimedMail, until: Date, explanation: string): Promise<boolean> =>
      changeClaimed(mail, {
        $set: { state: 'unknown', next_at: until, explanation: shortenReply(explanation) },
        $unset: { offered_at: 1 },
      }),

    /**
     * A delivery report about the mail. It settles a mail whose answer was lost; a failure also
     * corrects a sent one. Returns the recipient, undefined if the report changes nothing.
     */
    applyDeliveryReport: async (
      id: string,
      { isDelivered, explanation }: { isDelivered: boolean; explanation: string },
      now: Date,
    ): Promise<{ personId: string; address: string | undefined } | undefined> => {
      const states: MailState[] = isDelivered ? [...unsettledStates] : [...unsettledStates, 'sent']
      const row = await stored
        .findOneAndUpdate(
          { _id: id, state: { $in: states } },
          {
            $set: {
              state: isDelivered ? 'sent' : 'failed',
              settled_at: now,
              ...(!isDelivered && { explanation: shortenReply(explanation) }),
            },
            $unset: { ...unsettledFields, ...(isDelivered && { explanation: 1 }) },
          },
        )
        .lean()
      return row ? { personId: row.recipient_id, address: row.address } : undefined
    },

    /** At most limits.maxCountedMails. */
    count: (state: MailState): Promise<number> =>
      stored.countDocuments({ state }, { limit: limits.maxCountedMails }).exec(),

    /** Mails that were cancelled for this reason, at most limits.maxCountedMails. */
    countCancelled: (code: CancelCode): Promise<number> =>
      stored.countDocuments({ cancel_code: code }, { limit: limits.maxCountedMails }).exec(),

    latest: async (state: MailState, limit: number): Promise<TroubledMail[]> => {
      const rows = await stored.find({ state }).sort({ created_at: -1 }).limit(limit).lean()
      return rows.map(row => ({
        ...{ id: row._id, recipientId: row.recipient_id, kind: row.kind, state: row.state, attempts: row.attempts },
        createdAt: row.created_at,
        ...(row.explanation !== undefined && { explanation: row.explanation }),
      }))
    },

    /** The newest first. */
    async *listOf(recipientId: string): AsyncGenerator<ExportedMail> {
      const cursor = stored.find({ recipient_id: recipientId }).sort({ created_at: -1 }).lean().cursor()
      for await (const { _id: id, kind, state, address, created_at, settled_at, explanation } of cursor)
        yield { id, kind, state, address, created_at, settled_at, explanation }
    },
  }
}

/** The stored data of a mail that its recipient may read. */
export interface ExportedMail {
  id: string
  kind: MailKind
  state: MailState
  address: string | undefined
  created_at: Date
  settled_at: Date | undefined
  explanation: string | undefined
}

/** The kinds whose task is stored as `reported_task`. */
const reportedTaskKinds: readonly MailKind[] = ['task_exempted', 'task_marked_done', 'task_uncompletable']

interface UncompletableAddition {
  recipientId: string
  group: ActivityGroup
  /** The local date of `sendAt` (`2027-01-31`). */
  date: string
  sendAt: Date
  /** The moment on a date with the same local time as another moment. */
  momentOf: (date: string, sameTimeAs: Date) => Date
  now: Date
}

type NewMail = Omit<Mail, 'attempts' | 'heldUntil' | 'escalatedTasks'>
type ApprovalMail = Pick<Mail, 'id' | 'recipientId' | 'group' | 'createdAt'> & {
  comment: NonNullable<Mail['comment']>
}

function toRow({ id, recipientId, kind, group, task, comment, reportId, reportDueAt, createdAt }: NewMail): StoredMail {
  return {
    _id: id,
    recipient_id: recipientId,
    kind,
    ...(group && { facts: toStoredGroup(group) }),
    ...(task && { [reportedTaskKinds.includes(kind) ? 'reported_task' : 'task']: toStoredMailTask(task) }),
    ...(comment && { comment }),
    ...(reportId !== undefined && { report_id: reportId }),
    ...(reportDueAt !== undefined && { report_due_at: reportDueAt }),
    state: 'waiting',
    attempts: 0,
    created_at: createdAt,
    next_at: createdAt,
  }
}

/** Whether the mail waits for its time, or for the end of a quiet time. */
function isBeforeFirstAttempt(
  { state, created_at, held_until }: Pick<StoredMail, 'state' | 'created_at' | 'held_until'>,
  now: Date,
): boolean {
  return state === 'waiting' && (created_at > now || (held_until !== undefined && held_until > now))
}

function toStoredMailTask({ playlistId, dueAt, localDue }: MailTask): StoredMail['task'] {
  return { playlist_id: playlistId, ...(dueAt && { due_at: dueAt }), ...(localDue && { local_due: localDue }) }
}

function toStoredTask({ personId, playlistId, title, dueAt, localDue }: EscalatedTask): StoredTask {
  const local_due = localDue && { local_due: localDue }
  return { person_id: personId, playlist_id: playlistId, title, due_at: dueAt, ...local_due }
}

function fromStoredTask({ person_id, playlist_id, title, due_at, local_due }: StoredTask): EscalatedTask {
  return { personId: person_id, playlistId: playlist_id, title, dueAt: due_at, localDue: local_due }
}

function fromRow(row: StoredMail): Mail {
  const { _id, recipient_id, kind, facts, comment, report_id, report_due_at, escalated_tasks } = row
  const task = row.task ?? row.reported_task
  return {
    id: _id,
    recipientId: recipient_id,
    kind,
    group: facts && fromStoredGroup(facts),
    task: task && { playlistId: task.playlist_id, dueAt: task.due_at, localDue: task.local_due },
    comment,
    reportId: report_id,
    reportDueAt: report_due_at,
    escalatedTasks: escalated_tasks?.map(fromStoredTask),
    attempts: row.attempts,
    createdAt: row.created_at,
    heldUntil: row.held_until,
  }
}
