import type { Conditions } from '@watchline/contracts/conditions'
import type { AssignmentOverride, DueDate, OverrideAction } from '@watchline/contracts/fields'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { Assignment } from '../rules/assignment.ts'

/** A change of one assignment. */
interface ChangeFacts {
  personId: string
  playlistId: string
  at: Date
  /** The person who made the change; null if the groups of the task's person changed. */
  by: string | null
}

/** Null stands for no due date, or no recurrence. */
interface StoredTerms {
  due: DueDate | null
  /** Absent in entries of earlier versions. */
  recurrence?: Recurrence | null
  /** Absent for the default conditions, and in entries of earlier versions. */
  conditions?: Conditions | null
}

export interface DueDateChange extends ChangeFacts {
  /** Absent or empty without one. */
  reason?: string | undefined
  before: StoredTerms
  after: StoredTerms
}

/** The next occurrence of a recurring task opened by itself. */
export interface OccurrenceChange extends Omit<ChangeFacts, 'by'> {
  before: { due: DueDate | null; status: Assignment['status']; closed_at: string | null }
  after: { due: DueDate }
  /**
   * Due dates by which the task was not completed: of the ended occurrence, and of skipped ones.
   */
  missed: DueDate[]
}

/** Null stands for no override. */
export interface OverrideChange extends ChangeFacts {
  /** The id that the caller gave the change. */
  changeId: string
  action: OverrideAction
  reason: string
  before: AssignmentOverride | null
}

interface StoredChange {
  /** Of an override: the key of its change id and its assignment. */
  _id: string
  person_id: string
  playlist_id: string
  at: Date
  /** Null without an author: an occurrence opened, or the groups of the person changed. */
  by: string | null
  before: StoredTerms | OccurrenceChange['before'] | { override: AssignmentOverride | null }
  /** Absent in entries of overrides. */
  after?: StoredTerms
  /** Absent in entries of changed terms. */
  action?: OverrideAction | 'recurred'
  /** Of an override, or of changed terms that have one. */
  reason?: string
  /** Only in entries of occurrences. */
  missed?: DueDate[]
}

/** Changes of assignments with their authors and times. Entries are only added. */
export interface AssignmentChangeStore {
  addDueDates(changes: readonly DueDateChange[], session: ClientSession): Promise<void>
  addOccurrences(changes: readonly OccurrenceChange[], session: ClientSession): Promise<void>
  addOverrides(changes: readonly OverrideChange[], session: ClientSession): Promise<void>
  /** Those of these people to whose assignment the change with this id was applied before. */
  findApplied(
    changeId: string,
    playlistId: string,
    personIds: readonly string[],
    session: ClientSession,
  ): Promise<Set<string>>
  /** Removes the texts about a person. */
  eraseReasons(personId: string): Promise<void>
}

export function createAssignmentChangeStore(connection: Connection): AssignmentChangeStore {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredChange>(
    {
      _id: String,
      person_id: String,
      playlist_id: String,
      at: Date,
      by: String,
      before: mixed,
      after: mixed,
      action: String,
      reason: String,
      missed: mixed,
    },
    { versionKey: false, collection: 'assignment_changes' },
  )
  schema.index({ person_id: 1, at: 1 })
  // For the export of what a person did.
  schema.index({ by: 1, at: -1 })
  const stored = connection.model<StoredChange>('AssignmentChange', schema)

  return {
    addDueDates: async (changes, session) => {
      const rows = changes.map(({ personId, playlistId, at, by, before, after, reason }) => ({
        ...{ _id: newId(), person_id: personId, playlist_id: playlistId, at, by },
        ...{ before, after },
        ...(reason && { reason }),
      }))
      if (rows.length > 0) await stored.insertMany(rows, { session })
    },
    addOccurrences: async (changes, session) => {
      const rows = changes.map(({ personId, playlistId, at, before, after, missed }) => ({
        ...{ _id: newId(), person_id: personId, playlist_id: playlistId, at, by: null },
        ...{ action: 'recurred' as const, before, after, missed },
      }))
      if (rows.length > 0) await stored.insertMany(rows, { session })
    },
    addOverrides: async (changes, session) => {
      const rows = changes.map(({ changeId, personId, playlistId, at, by, action, reason, before }) => ({
        ...{ _id: overrideKey(changeId, personId, playlistId), person_id: personId, playlist_id: playlistId },
        ...{ at, by, action, reason, before: { override: before } },
      }))
      if (rows.length > 0) await stored.insertMany(rows, { session })
    },
    findApplied: async (changeId, playlistId, personIds, session) => {
      const keys = personIds.map(personId => overrideKey(changeId, personId, playlistId))
      const rows = await stored.find({ _id: { $in: keys } }, { person_id: 1 }, { session }).lean()
      return new Set(rows.map(row => row.person_id))
    },
    eraseReasons: async personId => {
      const own = { person_id: personId }
      await stored.updateMany({ ...own, reason: { $exists: true } }, { $set: { reason: '' } })
      await stored.updateMany(
        { ...own, 'before.override.reason': { $exists: true } },
        { $set: { 'before.override.reason': '' } },
      )
    },
  }
}

function overrideKey(changeId: string, personId: string, playlistId: string): string {
  return `${changeId}:${personId}:${playlistId}`
}
