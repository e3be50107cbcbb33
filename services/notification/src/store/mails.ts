import { randomUUID } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { type MailKind, type MailState, requiredMailKinds } from '@watchline/contracts/mail'
import type { ClientSession, Connection, QueryFilter, UpdateQuery } from 'mongoose'
import { shortenReply } from '../rules/shorten-reply.ts'
import { createNewMails } from './new-mails.ts'
import {
  type CancelCode,
  createMailModel,
  type EscalatedTask,
  fromRow,
  kindAt,
  type Mail,
  type StoredMail,
  toStoredTask,
} from './stored-mail.ts'

/** A mail that one process sends. Only the owner of the claim may change it. */
export interface ClaimedMail extends Mail {
  claim: string
}

export interface TroubledMail {
  id: string
  recipientId: string
  kind: MailKind
  state: MailState
  attempts: number
  createdAt: Date
  explanation?: string
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

/** A process renews its claims. Another one may take an expired claim. */
export const claimMs = 15_000

export type MailStore = ReturnType<typeof createMailStore>

/** The states of a mail before it is settled. */
export const unsettledStates: readonly MailState[] = ['waiting', 'sending', 'unknown']

/** The fields that only an unsettled mail has. */
const unsettledFields = {
  ...{ facts: 1, escalated_tasks: 1, next_at: 1, claim: 1, offered_at: 1, held_until: 1 },
} as const

/**
 * The outbox of mails. `new-mails.ts` stores new mails. The functions here claim and settle them.
 */
export function createMailStore(connection: Connection, retentionS: number) {
  const stored = createMailModel(connection, retentionS)

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

  return {
    ...createNewMails(stored),

    /**
     * Claims the mail that waits longest. Required mails go first, so that a reminder of a due date
     * does not wait behind others. Undefined if none is due. Claims of dead processes have expired:
     * a mail that the server cannot have is sent again, any other one becomes unknown. It keeps its
     * claim, so that a late answer of that attempt can settle it.
     */
    claimNext: async (now: Date, unknownUntil: Date): Promise<ClaimedMail | undefined> => {
      const due = { next_at: { $lte: now } }
      await stored.updateMany(
        { ...due, state: 'sending', offered_at: { $gt: new Date(0) } },
        { $set: { state: 'unknown', next_at: unknownUntil }, $unset: { offered_at: 1 } },
        { hint: 'unsettled' },
      )
      const claim = randomUUID()
      const claimAmong = (kinds: QueryFilter<StoredMail>, hint: string) =>
        stored
          .findOneAndUpdate(
            { ...kinds, ...due, state: { $in: unsettledStates }, offered_at: null },
            {
              $set: { state: 'sending', claim, next_at: new Date(now.getTime() + claimMs) },
              $inc: { attempts: 1 },
            },
            { sort: { next_at: 1 }, returnDocument: 'after', hint },
          )
          .lean()
      const row =
        (await claimAmong({ kind: { $in: requiredMailKinds } }, 'unsettled_by_kind')) ??
        (await claimAmong({}, 'unsettled'))
      return row ? { ...fromRow(row, now), claim } : undefined
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
     * Makes mails due that wait for the end of a quiet time: those of everybody, or of one
     * recipient. Their age counts from now.
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
        ...{ id: row._id, recipientId: row.recipient_id, state: row.state, attempts: row.attempts },
        kind: kindAt(row, row.settled_at ?? row.created_at),
        createdAt: row.created_at,
        ...(row.explanation !== undefined && { explanation: row.explanation }),
      }))
    },

    /** The newest first. */
    async *listOf(recipientId: string): AsyncGenerator<ExportedMail> {
      const cursor = stored.find({ recipient_id: recipientId }).sort({ created_at: -1 }).lean().cursor()
      for await (const { _id: id, kind, task, state, address, created_at, settled_at, explanation } of cursor) {
        const sentKind = kindAt({ kind, task }, settled_at ?? created_at)
        yield { id, kind: sentKind, state, address, created_at, settled_at, explanation }
      }
    },
  }
}
