import type { MailState } from '@watchline/contracts/mail'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { ClientSession } from 'mongoose'
import type { ActivityGroup } from '../rules/activity.ts'
import { dayAfter } from '../rules/quiet-times.ts'
import { mergeUncompletable } from '../rules/uncompletable-cause.ts'
import { fromStoredGroup, toStoredGroup } from './stored-group.ts'
import {
  type EscalatedTask,
  type Mail,
  type MailModel,
  type NewMail,
  type StoredMail,
  toRow,
  toStoredTask,
} from './stored-mail.ts'

type ApprovalMail = Pick<Mail, 'id' | 'recipientId' | 'group' | 'createdAt'> & {
  comment: NonNullable<Mail['comment']>
}

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

/** The part of the outbox of mails that stores new ones, or adds to those that still wait. */
export function createNewMails(stored: MailModel) {
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
      {
        reportId,
        dueAt,
        day,
        createdAt,
      }: { reportId: string; dueAt: string; day: string | undefined; createdAt: Date },
      session: ClientSession,
    ): Promise<void> => {
      const report = { reportId, reportDueAt: dueAt, reportDay: day }
      const rows = recipientIds.map(recipientId => ({
        ...toRow({ id: newId(), recipientId, kind: 'saved_report', ...report, createdAt }),
        reason_id: `report:${reportId}:${dueAt}:${recipientId}`,
      }))
      // A restored backup may publish an occurrence again, as another event.
      await addMissing(rows, session)
    },

    /**
     * Stores a mail for each recipient who has none of this revision. A mail without `address` was
     * never offered to a server. It is replaced, because another process may be cancelling it: the
     * comment had moved.
     */
    addApprovals: async (mails: readonly ApprovalMail[], session: ClientSession): Promise<void> => {
      if (mails.length === 0) return
      const rows = mails.map(mail => ({
        ...toRow({ ...mail, kind: 'comment_to_approve' }),
        reason_id: `comment:${mail.comment.id}:${mail.comment.revision}:${mail.recipientId}`,
      }))
      const unsentStates: readonly MailState[] = ['waiting', 'sending', 'cancelled']
      const reason_id = { $in: rows.map(row => row.reason_id) }
      await stored.deleteMany({ reason_id, state: { $in: unsentStates }, address: null }, { session })
      await addMissing(rows, session)
    },

    /**
     * Adds tasks to the mail about escalated tasks for which the recipient waits, or stores one for
     * `sendAt`. A mail that is being sent, or sent again, gets no more, also while quiet times hold
     * it: new tasks must not fail with it, and the server may have it without them. Two
     * transactions that store the same one conflict.
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
          ...{ recipient_id: recipientId, kind, state: 'waiting', attempts: 0, address: null },
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
  }
}

/** Whether the mail waits for its time, or for the end of a quiet time. */
function isBeforeFirstAttempt(
  { state, created_at, held_until }: Pick<StoredMail, 'state' | 'created_at' | 'held_until'>,
  now: Date,
): boolean {
  return state === 'waiting' && (created_at > now || (held_until !== undefined && held_until > now))
}
