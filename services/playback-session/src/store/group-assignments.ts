import { isText } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { GroupTerms } from '../rules/group-terms.ts'

/** The progress of a job through the members of a group, in the order of their ids. */
export interface MemberWalk {
  /** The id of the last person. */
  after: string
  /** The members so far, and the size of the group at the beginning. */
  done: number
  total: number
}

/** A playlist that a group has, or that its members are losing. */
export interface GroupAssignment {
  playlistId: string
  groupId: string
  status: 'assigned' | 'withdrawn'
  terms: GroupTerms
  assignedBy: string
  assignedAt: Date
  /**
   * The time at which the present due date was set. Undefined without one, and if an earlier
   * version set it.
   */
  dueSetAt?: Date | undefined
  /** The words of the author of the assignment to members. Absent or empty without any. */
  note?: string | undefined
  /** The author of the last change; null if the group was deleted and nobody is known. */
  changedBy: string | null
  /** Of the last change, while it is under way. Absent or empty without one. */
  changeReason?: string | undefined
  /** The update of the members' tasks; null if they are as the assignment says. */
  update: MemberWalk | null
  /** Reminders under way; null without any. */
  reminding: (MemberWalk & { by: string }) | null
}

interface StoredGroupAssignment {
  _id: string
  playlist_id: string
  group_id: string
  status: GroupAssignment['status']
  terms: GroupTerms
  assigned_by: string
  assigned_at: Date
  /** Absent without a due date, and of those that earlier versions set. */
  due_set_at?: Date
  /** Absent without a note, and in rows of earlier versions. */
  note?: string
  changed_by: string | null
  /** Absent after the update. The tasks of the members then have it. */
  change_reason?: string
  update: MemberWalk | null
  reminding: (MemberWalk & { by: string }) | null
}

export interface GroupAssignmentStore {
  find(playlistId: string, groupId: string, session?: ClientSession): Promise<GroupAssignment | undefined>
  /** The assignments of a playlist by group. */
  byGroups(
    playlistId: string,
    groupIds: readonly string[],
    session?: ClientSession,
  ): Promise<Map<string, GroupAssignment>>
  /** Callers read the assignment in the same transaction, so concurrent changes conflict. */
  put(assignment: GroupAssignment, session: ClientSession): Promise<void>
  remove(playlistId: string, groupId: string, session: ClientSession): Promise<void>
  removeOfPlaylist(playlistId: string, session: ClientSession): Promise<void>
  ofGroup(groupId: string): Promise<GroupAssignment[]>
  /** Withdraws every playlist of a deleted group. `by` is null if nobody is known. */
  withdrawAll(groupId: string, by: string | null, session: ClientSession): Promise<void>
  /** Removes the notes and reasons by a person, so that no further member gets them. */
  eraseWords(personId: string): Promise<void>
}

export function groupAssignmentKey(playlistId: string, groupId: string): string {
  return `${playlistId}:${groupId}`
}

export function createGroupAssignmentStore(connection: Connection): GroupAssignmentStore {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredGroupAssignment>(
    {
      _id: String,
      playlist_id: String,
      group_id: String,
      status: String,
      terms: mixed,
      assigned_by: String,
      assigned_at: Date,
      due_set_at: Date,
      note: String,
      changed_by: String,
      change_reason: String,
      update: mixed,
      reminding: mixed,
    },
    { versionKey: false, collection: 'group_assignments', minimize: false },
  )
  // For the job, which updates the tasks of a group, and for the deletion of a group.
  schema.index({ group_id: 1 })
  // For the export of what a person did.
  schema.index({ assigned_by: 1, assigned_at: -1 })
  schema.index({ changed_by: 1, assigned_at: -1 })
  // For `eraseWords`. Few assignments have a note.
  schema.index({ assigned_by: 1 }, { partialFilterExpression: { note: isText }, name: 'notes_by_author' })
  const stored = connection.model<StoredGroupAssignment>('GroupAssignment', schema)

  async function byGroups(playlistId: string, groupIds: readonly string[], session?: ClientSession) {
    const keys = groupIds.map(groupId => groupAssignmentKey(playlistId, groupId))
    const rows = await stored.find({ _id: { $in: keys } }, null, { session: session ?? null }).lean()
    return new Map(rows.map(row => [row.group_id, toGroupAssignment(row)]))
  }

  return {
    find: async (playlistId, groupId, session) => (await byGroups(playlistId, [groupId], session)).get(groupId),
    byGroups,
    put: async (assignment, session) => {
      const { playlistId, groupId, status, terms, assignedBy, assignedAt, note, changedBy, changeReason } = assignment
      const { dueSetAt } = assignment
      await stored.replaceOne(
        { _id: groupAssignmentKey(playlistId, groupId) },
        {
          ...{ playlist_id: playlistId, group_id: groupId, status, terms, assigned_by: assignedBy },
          ...{ assigned_at: assignedAt, changed_by: changedBy },
          ...(dueSetAt && { due_set_at: dueSetAt }),
          ...(note && { note }),
          ...(changeReason && { change_reason: changeReason }),
          ...{ update: assignment.update, reminding: assignment.reminding },
        },
        { session, upsert: true },
      )
    },
    remove: async (playlistId, groupId, session) => {
      await stored.deleteOne({ _id: groupAssignmentKey(playlistId, groupId) }, { session })
    },
    removeOfPlaylist: async (playlistId, session) => {
      await stored.deleteMany({ _id: { $gt: groupAssignmentKey(playlistId, ''), $lt: `${playlistId};` } }, { session })
    },
    ofGroup: async groupId => {
      const rows = await stored.find({ group_id: groupId }).sort({ _id: 1 }).lean()
      return rows.map(toGroupAssignment)
    },
    withdrawAll: async (groupId, by, session) => {
      const withdrawn = { status: 'withdrawn' as const, update: { after: '', done: 0, total: 0 }, reminding: null }
      // Those that were withdrawn before keep their author.
      await stored.updateMany(
        { group_id: groupId, status: 'assigned' },
        { $set: { changed_by: by }, $unset: { note: 1, change_reason: 1 } },
        { session },
      )
      await stored.updateMany({ group_id: groupId }, { $set: withdrawn }, { session })
    },
    eraseWords: async personId => {
      await stored.updateMany({ assigned_by: personId, note: isText }, { $unset: { note: 1 } })
      await stored.updateMany({ changed_by: personId, change_reason: isText }, { $unset: { change_reason: 1 } })
    },
  }
}

function toGroupAssignment(row: StoredGroupAssignment): GroupAssignment {
  return {
    playlistId: row.playlist_id,
    groupId: row.group_id,
    status: row.status,
    terms: row.terms,
    assignedBy: row.assigned_by,
    assignedAt: row.assigned_at,
    dueSetAt: row.due_set_at,
    note: row.note,
    changedBy: row.changed_by,
    changeReason: row.change_reason,
    update: row.update,
    reminding: row.reminding,
  }
}
