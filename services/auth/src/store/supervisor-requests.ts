import { limits } from '@watchline/contracts/limits'
import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import type { TimeCursor } from '@watchline/kit/http/paging'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'

type Status = SupervisorRequest['status']

/** A manager's request for a supervisor. Times in ms. */
export interface RequestRecord {
  id: string
  managerId: string
  supervisorId: string
  reason: string
  status: Status
  requestedAt: number
  reviewedAt: number | null
  comment: string
}

interface StoredRequest {
  _id: string
  manager_id: string
  supervisor_id: string
  reason: string
  status: Status
  requested_at: Date
  reviewed_at: Date | null
  comment: string
}

export interface RequestPage {
  requests: RequestRecord[]
  total: number
  next: TimeCursor | undefined
}

export type SupervisorRequestStore = ReturnType<typeof createSupervisorRequestStore>

export function createSupervisorRequestStore(connection: Connection) {
  const schema = new Schema<StoredRequest>(
    {
      _id: String,
      manager_id: String,
      supervisor_id: String,
      reason: String,
      status: String,
      requested_at: Date,
      reviewed_at: Date,
      comment: String,
    },
    { versionKey: false, collection: 'supervisor_requests' },
  )
  // Of several at once by one manager for one supervisor, one is made.
  schema.index(
    { supervisor_id: 1, manager_id: 1 },
    { unique: true, partialFilterExpression: { status: 'pending' }, name: 'one_pending' },
  )
  schema.index({ status: 1, requested_at: 1, _id: 1 })
  schema.index({ manager_id: 1, requested_at: -1, _id: -1 })
  const stored = connection.model<StoredRequest>('SupervisorRequest', schema)

  async function list(
    filter: QueryFilter<StoredRequest>,
    { direction, after, limit }: { direction: 1 | -1; after?: TimeCursor; limit: number },
  ): Promise<RequestPage> {
    const beyond = direction === 1 ? '$gt' : '$lt'
    const at = after && new Date(after.at)
    const page: QueryFilter<StoredRequest> = after
      ? {
          ...filter,
          $or: [{ requested_at: { [beyond]: at } }, { requested_at: at, _id: { [beyond]: after.id } }],
        }
      : filter
    const [rows, total] = await Promise.all([
      stored
        .find(page)
        .sort({ requested_at: direction, _id: direction })
        .limit(limit + 1)
        .lean(),
      stored.countDocuments(filter).limit(limits.countedAtMost),
    ])
    const requests = rows.slice(0, limit).map(present)
    const last = requests.at(-1)
    return { requests, total, next: rows.length > limit && last ? { at: last.requestedAt, id: last.id } : undefined }
  }

  return {
    /** Rejects with a duplicate key when this manager's request for this supervisor is pending already. */
    insert: async (request: RequestRecord, session: ClientSession): Promise<void> => {
      const row: StoredRequest = {
        _id: request.id,
        manager_id: request.managerId,
        supervisor_id: request.supervisorId,
        reason: request.reason,
        status: request.status,
        requested_at: new Date(request.requestedAt),
        reviewed_at: null,
        comment: request.comment,
      }
      await stored.create([row], { session })
    },

    byId: async (id: string, session: ClientSession): Promise<RequestRecord | undefined> => {
      const row = await stored.findById(id).session(session).lean()
      return row ? present(row) : undefined
    },

    /** Answers a request that is pending; undefined when it is not, any more. */
    review: async (
      id: string,
      review: { status: 'approved' | 'rejected'; comment: string; at: number },
      session: ClientSession,
    ): Promise<RequestRecord | undefined> => {
      const { status, comment, at } = review
      const row = await stored
        .findOneAndUpdate(
          { _id: id, status: 'pending' },
          { $set: { status, comment, reviewed_at: new Date(at) } },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? present(row) : undefined
    },

    /** Withdraws what is pending of a manager, for a supervisor, or of the one for the other; answers how many that were. */
    withdraw: async (
      {
        managerId,
        supervisorId,
      }: { managerId: string; supervisorId?: string } | { managerId?: undefined; supervisorId: string },
      session: ClientSession,
    ): Promise<number> => {
      const { modifiedCount } = await stored.updateMany(
        {
          ...(managerId !== undefined && { manager_id: managerId }),
          ...(supervisorId !== undefined && { supervisor_id: supervisorId }),
          status: 'pending',
        },
        { $set: { status: 'withdrawn' } },
        { session },
      )
      return modifiedCount
    },

    /** What waits for an answer, oldest first. */
    pending: (page: { after?: TimeCursor; limit: number }) => list({ status: 'pending' }, { ...page, direction: 1 }),

    /** A manager's own, latest first. */
    ofManager: (managerId: string, page: { after?: TimeCursor; limit: number }) =>
      list({ manager_id: managerId }, { ...page, direction: -1 }),

    countPending: () => stored.countDocuments({ status: 'pending' }),
  }
}

function present(row: StoredRequest): RequestRecord {
  return {
    id: row._id,
    managerId: row.manager_id,
    supervisorId: row.supervisor_id,
    reason: row.reason,
    status: row.status,
    requestedAt: row.requested_at.getTime(),
    reviewedAt: row.reviewed_at?.getTime() ?? null,
    comment: row.comment,
  }
}
