import type { NotificationKind } from '@watchline/contracts/notification'
import { erasedName } from '@watchline/contracts/people'
import { fullScan } from '@watchline/kit/mongo/database'
import type { ClientSession, Connection, mongo } from 'mongoose'
import { unsettledStates } from './mails.ts'
import type { StoredGroup } from './stored-group.ts'

interface NotificationRow {
  _id: string
  recipient_id: string | null
  author_id?: string
  kind: NotificationKind
  facts: StoredGroup
  approval?: string
  words?: string
  comment_id?: string
}

/** The kinds whose text is by their one person, or about them. */
const kindsWithOwnText: NotificationKind[] = [
  'comment_to_approve',
  'comment_reviewed',
  'comment_replied',
  'request_reviewed',
]
/** The kinds whose text is the name of another person. */
const kindsWithName: NotificationKind[] = ['comments_moved', 'supervisor_requested']

export type NotificationErasure = ReturnType<typeof createNotificationErasure>

/** Erases a person from notifications, and from activities that are in no notification yet. */
export function createNotificationErasure(connection: Connection) {
  const notifications = () => connection.collection<NotificationRow>('notifications')
  const activities = () => connection.collection<NotificationRow>('happenings')
  const mails = () => connection.collection<NotificationRow>('mails')

  /** Matches notifications of other people that hold data of the person. */
  const filterByPerson = (personId: string, names: readonly string[]) => ({
    $or: [
      { 'facts.people': { $elemMatch: { id: personId, name: { $ne: erasedName } } } },
      { author_id: personId, words: { $gt: '' } },
      ...(names.length > 0 ? [{ kind: { $in: kindsWithName }, 'facts.text': { $in: [...names] } }] : []),
    ],
  })

  return {
    /**
     * Removes what the person received. Requests for approval stay without a recipient and without
     * the person’s words: they are about other people’s comments.
     */
    removeReceived: async (personId: string): Promise<void> => {
      const requests = { recipient_id: personId, comment_id: { $gt: '' } }
      await notifications().updateMany(requests, { $set: { recipient_id: null }, $unset: { words: 1 } })
      await notifications().deleteMany({ recipient_id: personId })
      await activities().deleteMany({ recipient_id: personId })
      await mails().deleteMany({ recipient_id: personId })
      for (const name of ['mail_choices', 'mail_bounces'])
        await connection.collection<{ _id: string }>(name).deleteOne({ _id: personId })
    },

    /** Other people’s notifications that hold data of the person, at most `limit`. */
    findByPerson: async (personId: string, names: readonly string[], limit: number): Promise<NotificationRow[]> =>
      notifications()
        .find(filterByPerson(personId, names) as mongo.Filter<NotificationRow>, fullScan)
        .limit(limit)
        .toArray(),

    /** Replaces names and removes texts in these notifications; withdraws requests for approval. */
    erase: async (
      rows: readonly NotificationRow[],
      personId: string,
      names: readonly string[],
      session: ClientSession,
    ): Promise<void> => {
      if (rows.length === 0) return
      const writes = rows.map(row => ({
        updateOne: { filter: { _id: row._id }, update: toErased(row, personId, names) },
      }))
      await notifications().bulkWrite(writes as never, { session })
    },

    /** The grouping job moves activities to notifications, so call it before `findByPerson`. */
    eraseActivities: async (personId: string, names: readonly string[]): Promise<void> => {
      const rows = await activities()
        .find(filterByPerson(personId, names) as mongo.Filter<NotificationRow>, fullScan)
        .toArray()
      for (const row of rows) await activities().updateOne({ _id: row._id }, toErased(row, personId, names) as never)
    },

    /** Erases the person from mails to others that are not sent yet; others hold no texts. */
    eraseMails: async (personId: string, names: readonly string[]): Promise<void> => {
      const unsettled = { state: { $in: unsettledStates }, next_at: { $gt: new Date(0) } }
      const rows = await mails()
        .find({ ...unsettled, ...filterByPerson(personId, names) } as unknown as mongo.Filter<NotificationRow>)
        .toArray()
      for (const row of rows) await mails().updateOne({ _id: row._id }, toErased(row, personId, names) as never)
    },
  }
}

function toErased({ kind, facts, author_id, approval }: NotificationRow, personId: string, names: readonly string[]) {
  const people = facts.people.map(person => (person.id === personId ? { ...person, name: erasedName } : person))
  const isMentioned = people.some(({ id }) => id === personId)
  const dropsText = isMentioned && kindsWithOwnText.includes(kind)
  const namesPerson = kindsWithName.includes(kind) && facts.text !== undefined && names.includes(facts.text)
  const isPending = author_id === personId && approval === 'pending'
  return {
    $set: {
      'facts.people': people,
      ...(namesPerson && { 'facts.text': erasedName }),
      ...(isPending && { approval: 'withdrawn', recipient_id: null, is_read: true }),
    },
    $unset: {
      ...(dropsText && { 'facts.text': 1 }),
      // A note is by the one person whom the notification names.
      ...(isMentioned && { 'facts.note': 1 }),
      ...(author_id === personId && { words: 1 }),
    },
  }
}
