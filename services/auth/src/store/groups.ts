import type { GroupSource } from '@watchline/contracts/groups'
import { orderKey } from '@watchline/identity/name-key'
import { isText, newId } from '@watchline/kit/mongo/database'
import type { ListOrder, PageEnd } from '@watchline/kit/mongo/list-order'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { DynamicSource } from '../rules/group-membership.ts'
import { searchWords } from '../rules/search.ts'
import { createSearchableList, type Page } from './searchable-list.ts'

export interface GroupRecord {
  id: string
  name: string
  source: GroupSource
  assigners: string[]
  memberCount: number
  /** Whether the first scan for members is not finished yet. */
  isPending: boolean
  /** Grows with every event about the group. */
  revision: number
  /** Grows with every change of name or assigners. */
  version: number
  /** ms */
  createdAt: number
}

interface StoredGroup {
  _id: string
  name: string
  /** Unique; lists order by it. */
  name_key: string
  search_words: string[]
  source: GroupSource
  /** The kind of the source of a dynamic group; absent for manual groups. */
  follows?: string
  assigners: string[]
  member_count: number
  pending?: true
  revision: number
  version: number
  created_at: Date
  /** The time at which the next scan is due, or the lease of the running one ends. */
  scan_at: Date
}

export interface GroupQuery {
  /** Only these groups. */
  ids?: readonly string[] | undefined
  /** Only the groups that this supervisor may assign to. */
  assignerId?: string | undefined
  search?: string | undefined
  after?: PageEnd | undefined
  limit: number
}

export const groupOrder: ListOrder = { fields: [{ name: 'name_key', type: 'text' }], direction: 1 }

/** Names are equal if they differ in case, accents or the number of blanks only. */
const nameKeyOf = (name: string) => orderKey(name.replace(/\s+/g, ' '))
const dynamicFilter = { follows: isText }

export type GroupStore = ReturnType<typeof createGroupStore>

/** Groups with the number of their members. `GroupMemberStore` has the members. */
export function createGroupStore(connection: Connection) {
  const schema = new Schema<StoredGroup>(
    {
      _id: String,
      name: String,
      name_key: String,
      search_words: [String],
      source: Schema.Types.Mixed,
      follows: String,
      assigners: [String],
      member_count: Number,
      pending: Boolean,
      revision: Number,
      version: Number,
      created_at: Date,
      scan_at: Date,
    },
    { versionKey: false, collection: 'groups' },
  )
  schema.index({ name_key: 1 }, { unique: true, name: 'unique_name' })
  schema.index({ name_key: 1, _id: 1 }, { name: 'names' })
  schema.index({ search_words: 1, name_key: 1, _id: 1 }, { name: 'list_words' })
  schema.index({ assigners: 1 }, { name: 'assigners' })
  schema.index({ follows: 1 }, { partialFilterExpression: dynamicFilter, name: 'following' })
  schema.index({ scan_at: 1 }, { name: 'scans' })
  const model = connection.model<StoredGroup>('Group', schema)
  const deleted = connection.model<{ _id: string }>(
    'DeletedGroup',
    new Schema({ _id: String }, { versionKey: false, collection: 'deleted_groups' }),
  )
  const listGroups = createSearchableList(model, 'list_words')

  return {
    /** Fails with a duplicate key if another group has the name. */
    insert: async (
      fields: Pick<GroupRecord, 'name' | 'source' | 'assigners'> & { at: number; scanAt: number },
      session: ClientSession,
    ): Promise<GroupRecord> => {
      const { name, source, assigners, at, scanAt } = fields
      const isDynamic = source.kind !== 'manual'
      const row: StoredGroup = {
        _id: newId(),
        name,
        name_key: nameKeyOf(name),
        search_words: searchWords(name),
        source,
        ...(isDynamic && { follows: source.kind, pending: true as const }),
        assigners,
        member_count: 0,
        revision: 1,
        version: 1,
        created_at: new Date(at),
        scan_at: new Date(scanAt),
      }
      await model.create([row], { session })
      return toGroupRecord(row)
    },

    byId: async (id: string, session: ClientSession | null = null): Promise<GroupRecord | undefined> => {
      const row = await model.findById(id).session(session).lean()
      return row ? toGroupRecord(row) : undefined
    },

    /** Those of these groups that exist; with `assignerId`, only those it may assign to. */
    byIds: async (ids: readonly string[], assignerId?: string): Promise<GroupRecord[]> =>
      (
        await model.find({ _id: { $in: [...ids] }, ...(assignerId !== undefined && { assigners: assignerId }) }).lean()
      ).map(toGroupRecord),

    /** The number of groups. Concurrent calls that create groups do not see each other's. */
    count: (session: ClientSession) => model.countDocuments().hint('names').session(session),

    list: async ({ ids, assignerId, search, after, limit }: GroupQuery): Promise<Page<GroupRecord>> => {
      const filter = {
        ...(ids && { _id: { $in: [...ids] } }),
        ...(assignerId !== undefined && { assigners: assignerId }),
      }
      const orderIndex = ids || assignerId !== undefined ? undefined : 'names'
      const page = await listGroups({
        filter,
        order: groupOrder,
        limit,
        ...(search !== undefined && { search }),
        ...(after && { after }),
        ...(orderIndex && { orderIndex }),
      })
      return { ...page, rows: page.rows.map(toGroupRecord) }
    },

    /** Replaces name and assigners of this version; undefined if there is a newer one. */
    update: async (
      { id, name, assigners, version }: Pick<GroupRecord, 'id' | 'name' | 'assigners' | 'version'>,
      session: ClientSession,
    ): Promise<GroupRecord | undefined> => {
      const row = await model
        .findOneAndUpdate(
          { _id: id, version },
          {
            $set: { name, name_key: nameKeyOf(name), search_words: searchWords(name), assigners },
            $inc: { version: 1, revision: 1 },
          },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? toGroupRecord(row) : undefined
    },

    /**
     * Deletes a group and returns its last state. Its members are removed later, see `listDeleted`.
     */
    remove: async (id: string, session: ClientSession): Promise<GroupRecord | undefined> => {
      const row = await model.findByIdAndDelete(id).session(session).lean()
      if (!row) return undefined
      await deleted.create([{ _id: id }], { session })
      return toGroupRecord(row)
    },

    /** The ids of deleted groups that may still have members. */
    listDeleted: async (limit: number): Promise<string[]> =>
      (
        await deleted
          .find({ _id: { $gt: '' } })
          .limit(limit)
          .lean()
      ).map(({ _id }) => _id),

    endDeletion: async (id: string): Promise<void> => {
      await deleted.deleteOne({ _id: id })
    },

    /**
     * Counts members that join or leave and returns the new state; undefined if the group is
     * deleted. Every transaction that changes members calls it first, so that those of one group
     * conflict and MongoDB retries them one at a time.
     */
    changeMembers: async (
      id: string,
      countChange: number,
      session: ClientSession,
    ): Promise<GroupRecord | undefined> => {
      const row = await model
        .findOneAndUpdate(
          { _id: id },
          { $inc: { member_count: countChange, revision: 1 } },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? toGroupRecord(row) : undefined
    },

    /** The dynamic groups with their sources. */
    listDynamic: async (session: ClientSession): Promise<{ id: string; source: DynamicSource }[]> => {
      const rows = await model.find(dynamicFilter, { source: 1 }).hint('following').session(session).lean()
      return rows.map(row => ({ id: row._id, source: row.source as DynamicSource }))
    },

    /** The groups that one of these people may assign to. */
    ofAssigners: async (personIds: readonly string[], session: ClientSession): Promise<GroupRecord[]> =>
      (
        await model
          .find({ assigners: { $in: [...personIds] } })
          .session(session)
          .lean()
      ).map(toGroupRecord),

    /**
     * Leases the scan that is due for the longest time, until `leaseEnd`. The end of a lease
     * identifies it.
     */
    leaseScan: async (now: number, leaseEnd: number): Promise<GroupRecord | undefined> => {
      const row = await model
        .findOneAndUpdate(
          { scan_at: { $lte: new Date(now) } },
          { $set: { scan_at: new Date(leaseEnd) } },
          { returnDocument: 'after' },
        )
        .sort({ scan_at: 1 })
        .lean()
      return row ? toGroupRecord(row) : undefined
    },

    /** Extends the lease of a scan; false if another replica has it. */
    renewScan: async (
      id: string,
      { leaseEnd, nextLeaseEnd }: { leaseEnd: number; nextLeaseEnd: number },
    ): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, scan_at: new Date(leaseEnd) },
        { $set: { scan_at: new Date(nextLeaseEnd) } },
      )
      return matchedCount === 1
    },

    /** Ends the lease of a complete scan. Changes nothing if another replica has it. */
    finishScan: async (
      id: string,
      { leaseEnd, nextScanAt }: { leaseEnd: number; nextScanAt: number },
    ): Promise<void> => {
      await model.updateOne(
        { _id: id, scan_at: new Date(leaseEnd) },
        { $set: { scan_at: new Date(nextScanAt) }, $unset: { pending: 1 } },
      )
    },
  }
}

function toGroupRecord(row: StoredGroup): GroupRecord {
  return {
    id: row._id,
    name: row.name,
    source: row.source,
    assigners: row.assigners,
    memberCount: row.member_count,
    isPending: row.pending === true,
    revision: row.revision,
    version: row.version,
    createdAt: row.created_at.getTime(),
  }
}
