import type { ClientSession, Connection } from 'mongoose'
import type { Assignment, ReminderDays, Terms } from '../rules/assignment.ts'
import type { TaskOrigin } from '../rules/task-origin.ts'
import {
  type AssignmentReader,
  assignmentKey,
  type StoredAssignment,
  storedOrigin,
  storedTerms,
  storedTermsChange,
} from './stored-assignment.ts'

/** The changes of the tasks of a playlist for some members of groups. */
export interface MemberAssignmentChanges {
  at: Date
  added: readonly { personId: string; assignedBy: string; note: string; origin: TaskOrigin; terms: Terms }[]
  removed: readonly string[]
  /** Terms are given only if they change. */
  changed: readonly { task: Assignment; origin: TaskOrigin; terms?: Terms }[]
}

/** The assignments of members of groups, in the collection of all assignments. */
export interface MemberAssignmentStore {
  find(playlistId: string, personIds: readonly string[], session?: ClientSession): Promise<Map<string, Assignment>>
  write(playlistId: string, changes: MemberAssignmentChanges, session: ClientSession): Promise<void>
}

export function createMemberAssignmentStore(
  connection: Connection,
  toAssignment: AssignmentReader,
  reminderDays: ReminderDays,
): MemberAssignmentStore {
  const collection = () => connection.collection<StoredAssignment>('assignments')
  return {
    find: async (playlistId, personIds, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      const rows = await collection()
        .find({ _id: { $in: keys } }, session && { session })
        .toArray()
      return new Map(rows.map(row => [row.person_id, toAssignment(row)]))
    },
    write: async (playlistId, { at, added, removed, changed }, session) => {
      const writes = [
        ...added.map(({ personId, assignedBy, note, origin, terms }) => ({
          insertOne: {
            document: {
              ...{ _id: assignmentKey(personId, playlistId), person_id: personId, playlist_id: playlistId },
              ...{ assigned_by: assignedBy, assigned_date: at, status: 'assigned' as const, completed_at: null },
              ...(note && { note }),
              ...storedTerms(terms, at, reminderDays),
              ...storedOrigin(origin),
            },
          },
        })),
        ...changed.map(({ task, origin, terms }) => ({
          updateOne: {
            filter: { _id: assignmentKey(task.personId, playlistId) },
            update: {
              $set: { ...storedOrigin(origin), ...(terms && storedTermsChange(task, terms, at, reminderDays)) },
            },
          },
        })),
        ...removed.map(personId => ({ deleteOne: { filter: { _id: assignmentKey(personId, playlistId) } } })),
      ]
      if (writes.length > 0) await collection().bulkWrite(writes, { session, ordered: false })
    },
  }
}
