import type { NotificationKind } from '@watchline/contracts/notification'
import { newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { type Activity, type ActivityGroup, createGroup, mergeGroups, ownTaskKinds } from '../rules/activity.ts'
import { fromStoredGroup, type StoredGroup, toStoredGroup } from './stored-group.ts'

/** Activities with the same key go into one notification. */
export interface GroupKey {
  recipientId: string
  kind: NotificationKind
}

interface StoredActivity {
  _id: string
  recipient_id: string
  kind: NotificationKind
  facts: StoredGroup
  at: Date
  /** The task was closed before the activity was grouped. Absent otherwise. */
  is_read?: boolean
}

/** Activities as one group; `isRead` if the recipient need not see any of them. */
export interface RemovedActivities {
  group: ActivityGroup
  isRead: boolean
}

/** The notification of a key that still accepts activities. */
interface StoredOpenGroup {
  _id: string
  notification_id: string
  until: Date
}

export type ActivityStore = ReturnType<typeof createActivityStore>

/** Activities that are in no notification yet, and the notifications that still accept some. */
export function createActivityStore(connection: Connection) {
  const schema = new Schema<StoredActivity>(
    { _id: String, recipient_id: String, kind: String, facts: Schema.Types.Mixed, at: Date, is_read: Boolean },
    { versionKey: false, collection: 'happenings', minimize: false },
  )
  schema.index({ recipient_id: 1, kind: 1, at: 1 })
  schema.index({ at: 1 })
  const stored = connection.model<StoredActivity>('Activity', schema)
  const openGroups = connection.model<StoredOpenGroup>(
    'OpenGroup',
    new Schema<StoredOpenGroup>(
      { _id: String, notification_id: String, until: { type: Date, expires: 0 } },
      { versionKey: false, collection: 'folds' },
    ),
  )
  const idOf = ({ recipientId, kind }: GroupKey) => `${recipientId}:${kind}`

  return {
    add: async (recipientIds: readonly string[], activity: Activity, at: Date, session: ClientSession) => {
      if (recipientIds.length === 0) return
      const { kind } = activity
      const facts = toStoredGroup(createGroup(activity))
      await stored.insertMany(
        recipientIds.map(recipientId => ({ _id: newId(), recipient_id: recipientId, kind, facts, at })),
        { session },
      )
    },

    /**
     * Removes the oldest activities of a key and returns them as one group, undefined if there are
     * none. If two transactions remove the same activities, MongoDB aborts one.
     */
    removeOldest: async (
      { recipientId, kind }: GroupKey,
      limit: number,
      session: ClientSession,
    ): Promise<RemovedActivities | undefined> => {
      const rows = await stored
        .find({ recipient_id: recipientId, kind }, null, { session })
        .sort({ at: 1 })
        .limit(limit)
        .lean()
      if (rows.length === 0) return undefined
      await stored.deleteMany({ _id: { $in: rows.map(row => row._id) } }, { session })
      return {
        group: rows.map(row => fromStoredGroup(row.facts)).reduce(mergeGroups),
        isRead: rows.every(row => row.is_read === true),
      }
    },

    /** The same as for notifications, of activities that are in none yet. */
    markTaskRead: async (
      recipientIds: readonly string[],
      playlistId: string,
      session: ClientSession,
    ): Promise<void> => {
      const filter = {
        recipient_id: { $in: [...recipientIds] },
        kind: { $in: [...ownTaskKinds] },
        'facts.playlist.id': playlistId,
      }
      await stored.updateMany(filter, { $set: { is_read: true } }, { session })
    },

    /** The keys of the oldest activities stored before a time; reads at most `limit` activities. */
    keysStoredBefore: async (time: Date, limit: number): Promise<GroupKey[]> => {
      const rows = await stored
        .find({ at: { $lte: time } }, { recipient_id: 1, kind: 1 })
        .sort({ at: 1 })
        .limit(limit)
        .lean()
      const keys = rows.map(row => ({ recipientId: row.recipient_id, kind: row.kind }))
      return [...new Map(keys.map(key => [idOf(key), key])).values()]
    },

    /** The id of the notification that still accepts activities of this key. */
    findOpenNotification: async (key: GroupKey, now: Date, session: ClientSession): Promise<string | undefined> => {
      const open = await openGroups.findById(idOf(key), null, { session }).lean()
      return open && open.until > now ? open.notification_id : undefined
    },

    openNotification: async (
      key: GroupKey,
      notificationId: string,
      until: Date,
      session: ClientSession,
    ): Promise<void> => {
      await openGroups.updateOne(
        { _id: idOf(key) },
        { $set: { notification_id: notificationId, until } },
        { session, upsert: true },
      )
    },
  }
}
