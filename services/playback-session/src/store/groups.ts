import type { EventData } from '@watchline/contracts/events'
import { orderKey, searchPattern } from '@watchline/identity/name-key'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** A group of people with a name, as auth published it last. */
export interface Group {
  id: string
  name: string
  /** The supervisors who may assign to it. */
  assigners: string[]
  /** The number of members, deactivated people included. */
  size: number
}

/** A person who is a member of a group, or was one. */
export interface GroupMember {
  groupId: string
  personId: string
  isMember: boolean
  /**
   * How often an update of the person's tasks was requested. Absent of members without a request.
   */
  updateRequests?: number
}

/** The end of a page of groups. */
export interface GroupCursor {
  nameKey: string
  id: string
}

interface StoredGroup {
  _id: string
  /** Absent until `group.changed` arrives, and after the deletion. */
  name?: string
  name_key?: string
  assigners?: string[]
  /** The revision of the last `group.changed`. */
  revision?: number
  size: number
  /** A deleted group stays deleted, however late its other events arrive. */
  deleted?: boolean
  /** Grows with each event: concurrent events about a group conflict. */
  event_count: number
}

interface StoredMember {
  /** {@link memberKey} */
  _id: string
  group_id: string
  person_id: string
  is_member: boolean
  /** The revision of the group's last event about this person. */
  revision: number
  /** The tasks of the person may differ from the membership. Absent otherwise. */
  needs_update?: true
  /** Grows with each request of an update, so that an update ends only the requests before it. */
  update_requests?: number
}

/**
 * The projection of auth's groups, fed by `group.*`. Events may arrive twice, late and in any
 * order: name and assigners have one revision, and each membership has its own.
 */
export interface GroupStore {
  applyChange(change: EventData<'group.changed'>, session: ClientSession): Promise<void>
  /** Marks the people who joined or left for an update of their tasks. */
  applyMembers(
    change: Pick<EventData<'group.members_changed'>, 'group_id' | 'added' | 'removed' | 'revision'>,
    session: ClientSession,
  ): Promise<void>
  applyDeletion(groupId: string, session: ClientSession): Promise<void>
  /** Without deleted groups, and without those whose name is not known yet. */
  byIds(ids: readonly string[]): Promise<Group[]>
  /** The groups of one assigner, or all, by name. */
  page(request: {
    limit: number
    assigner?: string | undefined
    search?: string | undefined
    after?: GroupCursor | undefined
  }): Promise<{ items: Group[]; next?: GroupCursor; total: number }>
  isDeleted(groupId: string): Promise<boolean>
  /** Present and former members, by the id of the person. */
  membersAfter(groupId: string, afterPersonId: string, limit: number, session?: ClientSession): Promise<GroupMember[]>
  members(groupId: string, personIds: readonly string[], session: ClientSession): Promise<GroupMember[]>
  /** Members whose tasks need an update. */
  findToUpdate(groupId: string, limit: number): Promise<GroupMember[]>
  /** Ends the need for an update, unless somebody requested another one. */
  clearUpdates(members: readonly GroupMember[]): Promise<void>
  /** Marks the memberships of a person for an update, and returns the groups. */
  requestUpdates(personId: string, session: ClientSession): Promise<string[]>
  /** Removes a page of the members of a deleted group, and returns how many. */
  removeMembers(groupId: string, limit: number): Promise<number>
  /** Removes an erased or deleted person from all groups. */
  removePerson(personId: string, session: ClientSession): Promise<void>
}

export function memberKey(groupId: string, personId: string): string {
  return `${groupId}:${personId}`
}

export function createGroupStore(connection: Connection): GroupStore {
  const groupSchema = new Schema<StoredGroup>(
    {
      _id: String,
      name: String,
      name_key: String,
      assigners: { type: [String], default: undefined },
      revision: Number,
      size: Number,
      deleted: Boolean,
      event_count: Number,
    },
    { versionKey: false, collection: 'groups' },
  )
  groupSchema.index({ name_key: 1, _id: 1 })
  groupSchema.index({ assigners: 1, name_key: 1, _id: 1 })
  const groups = connection.model<StoredGroup>('Group', groupSchema)

  const memberSchema = new Schema<StoredMember>(
    {
      _id: String,
      group_id: String,
      person_id: String,
      is_member: Boolean,
      revision: Number,
      needs_update: Boolean,
      update_requests: Number,
    },
    { versionKey: false, collection: 'group_members' },
  )
  // For the export and the erasure of a person, and when a person becomes active again.
  memberSchema.index({ person_id: 1 })
  memberSchema.index({ group_id: 1, _id: 1 }, { partialFilterExpression: { needs_update: true }, name: 'to_update' })
  const members = connection.model<StoredMember>('GroupMember', memberSchema)

  /** Writes the group, so that concurrent events about it conflict and MongoDB repeats one. */
  async function lockGroup(groupId: string, session: ClientSession): Promise<StoredGroup> {
    const row = await groups
      .findOneAndUpdate(
        { _id: groupId },
        { $inc: { event_count: 1 }, $setOnInsert: { size: 0 } },
        { session, upsert: true, returnDocument: 'after' },
      )
      .lean()
    return row!
  }

  return {
    applyChange: async ({ group_id, name, assigners, revision }, session) => {
      const group = await lockGroup(group_id, session)
      if (group.deleted || (group.revision ?? 0) >= revision) return
      const change = { name, name_key: orderKey(name), assigners, revision }
      await groups.updateOne({ _id: group_id }, { $set: change }, { session })
    },
    applyMembers: async ({ group_id, added, removed, revision }, session) => {
      const group = await lockGroup(group_id, session)
      if (group.deleted) return
      const changes = new Map([...removed.map(id => [id, false] as const), ...added.map(id => [id, true] as const)])
      const keys = [...changes.keys()].map(personId => memberKey(group_id, personId))
      const rows = await members.find({ _id: { $in: keys } }, null, { session }).lean()
      const known = new Map(rows.map(row => [row.person_id, row]))
      const newer = [...changes].filter(([personId]) => (known.get(personId)?.revision ?? 0) < revision)
      if (newer.length === 0) return
      let growth = 0
      const writes = newer.map(([personId, isMember]) => {
        const wasMember = known.get(personId)?.is_member ?? false
        growth += Number(isMember) - Number(wasMember)
        const update = { group_id, person_id: personId, is_member: isMember, revision }
        return {
          updateOne: {
            filter: { _id: memberKey(group_id, personId) },
            update: isMember === wasMember ? { $set: update } : requestUpdate(update),
            upsert: true,
          },
        }
      })
      await members.bulkWrite(writes, { session })
      await groups.updateOne({ _id: group_id }, { $inc: { size: growth } }, { session })
    },
    applyDeletion: async (groupId, session) => {
      await lockGroup(groupId, session)
      const known = { name: 1, name_key: 1, assigners: 1 }
      await groups.updateOne({ _id: groupId }, { $set: { deleted: true, size: 0 }, $unset: known }, { session })
    },
    byIds: async ids => {
      const rows = await groups.find({ _id: { $in: [...ids] }, name_key: { $gt: '' } }).lean()
      return rows.map(toGroup)
    },
    page: async ({ limit, assigner, search, after }) => {
      const pattern = search && searchPattern(search)
      const filter = {
        ...(assigner !== undefined && { assigners: assigner }),
        name_key: { $gt: '', ...(pattern && { $regex: pattern }) },
      }
      const position = after && {
        $or: [{ name_key: { $gt: after.nameKey } }, { name_key: after.nameKey, _id: { $gt: after.id } }],
      }
      const [rows, total] = await Promise.all([
        groups
          .find({ $and: [filter, position ?? {}] })
          .sort({ name_key: 1, _id: 1 })
          .limit(limit + 1)
          .lean(),
        groups.countDocuments(filter),
      ])
      const last = rows[limit - 1]
      return {
        items: rows.slice(0, limit).map(toGroup),
        ...(rows.length > limit && last && { next: { nameKey: last.name_key!, id: last._id } }),
        total,
      }
    },
    isDeleted: async groupId => (await groups.exists({ _id: groupId, deleted: true })) !== null,
    membersAfter: async (groupId, afterPersonId, limit, session) => {
      const range = { $gt: memberKey(groupId, afterPersonId), $lt: `${groupId};` }
      const rows = await members
        .find({ _id: range }, null, { session: session ?? null })
        .sort({ _id: 1 })
        .limit(limit)
        .lean()
      return rows.map(toMember)
    },
    members: async (groupId, personIds, session) => {
      const keys = personIds.map(personId => memberKey(groupId, personId))
      return (await members.find({ _id: { $in: keys } }, null, { session }).lean()).map(toMember)
    },
    findToUpdate: async (groupId, limit) => {
      const rows = await members.find({ group_id: groupId, needs_update: true }).sort({ _id: 1 }).limit(limit).lean()
      return rows.map(toMember)
    },
    clearUpdates: async updated => {
      const writes = updated.map(({ groupId, personId, updateRequests }) => ({
        updateOne: {
          filter: { _id: memberKey(groupId, personId), update_requests: updateRequests ?? null },
          update: { $unset: { needs_update: 1 } },
        },
      }))
      if (writes.length > 0) await members.bulkWrite(writes as never)
    },
    requestUpdates: async (personId, session) => {
      const rows = await members.find({ person_id: personId, is_member: true }, { group_id: 1 }, { session }).lean()
      await members.updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, requestUpdate({}), { session })
      return rows.map(row => row.group_id)
    },
    removeMembers: async (groupId, limit) => {
      const range = { $gt: memberKey(groupId, ''), $lt: `${groupId};` }
      const rows = await members.find({ _id: range }, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean()
      await members.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
      return rows.length
    },
    removePerson: async (personId, session) => {
      const rows = await members.find({ person_id: personId }, null, { session }).lean()
      for (const { group_id, is_member } of rows)
        if (is_member) await groups.updateOne({ _id: group_id, deleted: null }, { $inc: { size: -1 } }, { session })
      await members.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session })
    },
  }
}

/** The write that sets these fields of a member and requests an update of their tasks. */
function requestUpdate(fields: Partial<StoredMember>) {
  return { $set: { ...fields, needs_update: true as const }, $inc: { update_requests: 1 } }
}

function toGroup({ _id, name, assigners, size }: StoredGroup): Group {
  return { id: _id, name: name ?? '', assigners: assigners ?? [], size }
}

function toMember({ group_id, person_id, is_member, update_requests }: StoredMember): GroupMember {
  return {
    ...{ groupId: group_id, personId: person_id, isMember: is_member },
    ...(update_requests !== undefined && { updateRequests: update_requests }),
  }
}
