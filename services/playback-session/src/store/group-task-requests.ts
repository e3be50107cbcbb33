import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredRequest {
  /** The id of the group. */
  _id: string
  /** Grows with each request. */
  request_count: number
  /** From then on a replica may claim the group. A claim moves the time, so one has it. */
  due_at: Date
}

/** A group whose tasks a replica updates, for the time of a lease. */
export interface ClaimedRequest {
  groupId: string
  requestCount: number
}

/** Groups whose tasks need an update or reminders. Other collections say which. */
export interface GroupTaskRequestStore {
  request(groupId: string, now: Date, session: ClientSession): Promise<void>
  /** Claims the group that waited longest; another replica may claim it again after the lease. */
  claim(now: Date, leaseMs: number): Promise<ClaimedRequest | undefined>
  extend(request: ClaimedRequest, until: Date): Promise<void>
  /** Queues the group again, behind the waiting ones. */
  release(request: ClaimedRequest, now: Date): Promise<void>
  /** Removes the request, unless another one came since the claim. */
  finish(request: ClaimedRequest): Promise<boolean>
}

export function createGroupTaskRequestStore(connection: Connection): GroupTaskRequestStore {
  const schema = new Schema<StoredRequest>(
    { _id: String, request_count: Number, due_at: Date },
    { versionKey: false, collection: 'group_work' },
  )
  schema.index({ due_at: 1 })
  const stored = connection.model<StoredRequest>('GroupTaskRequest', schema)

  return {
    request: async (groupId, now, session) => {
      await stored.updateOne(
        { _id: groupId },
        { $inc: { request_count: 1 }, $setOnInsert: { due_at: now } },
        { session, upsert: true },
      )
    },
    claim: async (now, leaseMs) => {
      const row = await stored
        .findOneAndUpdate({ due_at: { $lte: now } }, { $set: { due_at: new Date(now.getTime() + leaseMs) } })
        .sort({ due_at: 1 })
        .lean()
      return row ? { groupId: row._id, requestCount: row.request_count } : undefined
    },
    extend: async ({ groupId }, until) => {
      await stored.updateOne({ _id: groupId }, { $max: { due_at: until } })
    },
    release: async ({ groupId }, now) => {
      await stored.updateOne({ _id: groupId }, { $set: { due_at: now } })
    },
    finish: async ({ groupId, requestCount }) => {
      const { deletedCount } = await stored.deleteOne({ _id: groupId, request_count: requestCount })
      return deletedCount === 1
    },
  }
}
