import { limits } from '@watchline/contracts/limits'
import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { cutPage, type TimeCursor } from '@watchline/kit/http/paging'
import { fullScan } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'

type RequestStatus = SupervisorRequest['status']

/** A manager's request for a supervisor. Times in ms. */
export interface RequestRecord {
  id: string
  managerId: string
  supervisorId: string
  reason: string
  status: RequestStatus
  requestedAt: number
  reviewedAt: number | null
  comment: string
}

interface StoredRequest {
  _id: string
  manager_id: string
  supervisor_id: string
  reason: string
  status: RequestStatus
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

/** Requests of managers for supervisors. */
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
  // A manager has at most one pending request for a supervisor.
  schema.index(
    { supervisor_id: 1, manager_id: 1 },
    { unique: true, partialFilterExpression: { status: 'pending' }, name: 'one_pending' },
  )
  schema.index({ status: 1, requested_at: 1, _id: 1 })
  schema.index({ manager_id: 1, requested_at: -1, _id: -1 })
  schema.index({ supervisor_id: 1, status: 1 }, { name: 'of_supervisor' })
  const model = connection.model<StoredRequest>('SupervisorRequest', schema)

  async function list(
    filter: QueryFilter<StoredRequest>,
    { direction, after, limit }: { direction: 1 | -1; after?: TimeCursor; limit: number },
  ): Promise<RequestPage> {
    const comparison = direction === 1 ? '$gt' : '$lt'
    const at = after && new Date(after.at)
    const pageFilter: QueryFilter<StoredRequest> = after
      ? {
          ...filter,
          $or: [{ requested_at: { [comparison]: at } }, { requested_at: at, _id: { [comparison]: after.id } }],
        }
      : filter
    const [rows, total] = await Promise.all([
      model
        .find(pageFilter)
        .sort({ requested_at: direction, _id: direction })
        .limit(limit + 1)
        .lean(),
      model.countDocuments(filter).limit(limits.maxCountedTotal),
    ])
    const { items, next } = cutPage(rows, limit, row => ({ at: row.requested_at.getTime(), id: row._id }))
    return { requests: items.map(toRequestRecord), total, next }
  }

  return {
    /**
     * Rejects with a duplicate key error if this manager has a pending request for this supervisor.
     */
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
      await model.create([row], { session })
    },

    byId: async (id: string, session: ClientSession): Promise<RequestRecord | undefined> => {
      const row = await model.findById(id).session(session).lean()
      return row ? toRequestRecord(row) : undefined
    },

    /** Approves or rejects a pending request; undefined when it is not pending. */
    review: async (
      id: string,
      review: { status: 'approved' | 'rejected'; comment: string; at: number },
      session: ClientSession,
    ): Promise<RequestRecord | undefined> => {
      const { status, comment, at } = review
      const row = await model
        .findOneAndUpdate(
          { _id: id, status: 'pending' },
          { $set: { status, comment, reviewed_at: new Date(at) } },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? toRequestRecord(row) : undefined
    },

    /**
     * Withdraws a manager's own pending request; undefined when it is not pending or not theirs.
     */
    withdrawOwn: async (
      { id, managerId, at }: { id: string; managerId: string; at: number },
      session: ClientSession,
    ): Promise<RequestRecord | undefined> => {
      const row = await model
        .findOneAndUpdate(
          { _id: id, manager_id: managerId, status: 'pending' },
          { $set: { status: 'withdrawn', reviewed_at: new Date(at) } },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? toRequestRecord(row) : undefined
    },

    /**
     * Withdraws the pending requests of a manager, for a supervisor, or both. Returns their number.
     */
    withdraw: async (
      {
        managerId,
        supervisorId,
      }: { managerId: string; supervisorId?: string } | { managerId?: undefined; supervisorId: string },
      session: ClientSession,
    ): Promise<number> => {
      const { modifiedCount } = await model.updateMany(
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

    /** Rejects the pending requests of other managers for a supervisor, and returns them. */
    declineOthers: async (
      {
        supervisorId,
        managerId,
        comment,
        at,
      }: { supervisorId: string; managerId: string; comment: string; at: number },
      session: ClientSession,
    ): Promise<RequestRecord[]> => {
      const otherRequests = { supervisor_id: supervisorId, manager_id: { $ne: managerId }, status: 'pending' as const }
      const rows = await model.find(otherRequests).session(session).lean()
      if (rows.length === 0) return []
      const answer = { status: 'rejected' as const, comment, reviewed_at: new Date(at) }
      await model.updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { $set: answer }, { session })
      return rows.map(row => toRequestRecord({ ...row, ...answer }))
    },

    /** Removes the texts of the requests of a manager, or for a supervisor. */
    eraseTexts: async (personId: string, session: ClientSession): Promise<void> => {
      const options = { session, comment: fullScan.comment }
      const personFilter = { $or: [{ manager_id: personId }, { supervisor_id: personId }] }
      await model.updateMany(personFilter, { $set: { reason: '', comment: '' } }, options)
    },

    /** A page of pending requests; ascending means oldest first. */
    pending: ({ order, ...page }: { order: 'asc' | 'desc'; after?: TimeCursor; limit: number }) =>
      list({ status: 'pending' }, { ...page, direction: order === 'asc' ? 1 : -1 }),

    /** A page of a manager's requests, newest first. */
    ofManager: (managerId: string, page: { after?: TimeCursor; limit: number }) =>
      list({ manager_id: managerId }, { ...page, direction: -1 }),

    /** Whether a request by this manager, or for this supervisor, was approved or rejected. */
    hasReviewed: async (personId: string): Promise<boolean> => {
      const status = { $in: ['approved', 'rejected'] as RequestStatus[] }
      const filter = {
        $or: [
          { manager_id: personId, status },
          { supervisor_id: personId, status },
        ],
      }
      return (await model.exists(filter)) !== null
    },

    countPending: () => model.countDocuments({ status: 'pending' }),
  }
}

function toRequestRecord(row: StoredRequest): RequestRecord {
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
