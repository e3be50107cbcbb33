import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate, OverrideKind } from '@watchline/contracts/fields'
import { pageById, retireIndexes } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** A superior's decision that closes a task without its videos; `by` is the superior's id. */
export interface Override {
  kind: OverrideKind
  by: string
  at: Date
  reason: string
}

/** The start of a task from zero. */
export interface Reset extends Omit<Override, 'kind' | 'by'> {
  /** Null if the next occurrence of the task opened by itself. */
  by: string | null
  /** The due date of the occurrence that ended. Absent if a superior reset the task. */
  endedDue?: DueDate
}

/** The terms of an assignment that change together. */
export interface DueTerms {
  dueAt: Date | null
  /** The end of the grace period; null without one. */
  graceUntil: Date | null
  /** Null for the default conditions. */
  conditions: Conditions | null
}

/** Whether a person has a playlist, and since when. */
export interface Assignment extends DueTerms {
  personId: string
  playlistId: string
  assigned: boolean
  at: Date
  /** The time of the last change of the terms, at first `at`. */
  dueChangedAt: Date
  /**
   * The time of the last change of the due date after the assignment. Absent if it never changed,
   * or changed in an earlier version.
   */
  dueSetAt?: Date
  /** The start of the assignment, if it ended an occurrence. Absent of others, and at the owner. */
  openedAt?: Date
  override: Override | null
  /** The time of the last change of the override, at first `at`. */
  overrideChangedAt: Date
}

/** An assignment of a playlist that the person has. */
export interface OwnAssignment extends Pick<Assignment, 'playlistId' | 'at' | keyof DueTerms> {
  overrideKind: OverrideKind | null
  /** The time at which the present occurrence opened after another one; null in the first one. */
  openedAt: Date | null
  /** Null if it is absent in {@link Assignment}. */
  dueSetAt: Date | null
}

interface StoredAssignment {
  _id: string
  person_id: string
  playlist_id: string
  assigned: boolean
  at: Date
  /** Both are absent in rows of earlier versions. */
  due_at?: Date | null
  due_changed_at?: Date
  /** See `dueSetAt` of {@link Assignment}. */
  due_set_at?: Date
  /** Absent or null without a grace period. */
  grace_until?: Date | null
  /** Absent or null for the default conditions. */
  conditions?: Conditions | null
  /** Absent in the first occurrence. */
  opened_at?: Date
  /** All are absent in rows of earlier versions. */
  override_kind?: OverrideKind | null
  override_by?: string | null
  override_at?: Date | null
  override_reason?: string | null
  override_changed_at?: Date
  /** Oldest first; they outlive the assignment. Absent without one. */
  resets?: Reset[]
}

/** An assignment as a rebuild sees it. */
export interface ProjectedAssignment {
  id: string
  isDeleted: boolean
  row: Assignment
}

/**
 * The projection of assignments. Ended assignments stay, so that an older event cannot revive one.
 */
export interface AssignmentStore {
  /**
   * Skips an assignment if a newer one is stored, and a newer stored due date or override stays.
   */
  put(assignments: readonly Assignment[], session?: ClientSession): Promise<void>
  /**
   * Skips people whose stored due date is newer. May come before the assignment itself. Conditions
   * that are undefined stay. `keepsDue`: the due date is as before.
   */
  setDue(
    playlistId: string,
    personIds: readonly string[],
    change: Omit<DueTerms, 'conditions'> & {
      conditions: Conditions | null | undefined
      at: Date
      keepsDue: boolean
    },
    session: ClientSession,
  ): Promise<void>
  /**
   * The same for the next occurrence of a recurring task, which also starts without an override.
   */
  openOccurrence(
    playlistId: string,
    personIds: readonly string[],
    opening: DueTerms & { at: Date },
    session: ClientSession,
  ): Promise<void>
  /** The same for an override. */
  setOverride(
    playlistId: string,
    personIds: readonly string[],
    change: { override: Override | null; at: Date },
    session: ClientSession,
  ): Promise<void>
  /** Remembers a reset once. The assignment exists. */
  addReset(playlistId: string, personIds: readonly string[], reset: Reset, session: ClientSession): Promise<void>
  /** The resets by {@link assignmentKey}. */
  resetsOf(keys: readonly string[]): Promise<Map<string, readonly Reset[]>>
  /** Removes the reasons of overrides and resets of a person. */
  eraseReasons(personId: string): Promise<void>
  /** Ends the assignments of at most `limit` people, and returns their number. */
  unassignBatch(playlistId: string, change: { at: Date; limit: number }, session?: ClientSession): Promise<number>
  /** Ids of the people who have the playlist. */
  peopleOf(playlistId: string): Promise<string[]>
  /** Those of the people whose stored terms are of this time, and of no later event. */
  findWithTermsOf(
    playlistId: string,
    personIds: readonly string[],
    changedAt: Date,
    session: ClientSession,
  ): Promise<string[]>
  /** By {@link assignmentKey}. */
  byKeys(keys: readonly string[]): Promise<Map<string, Assignment>>
  /** Ids of the playlists a person has, latest assignment first. */
  playlistsOf(personId: string, limit: number): Promise<string[]>
  /** The assignments by person, the latest first. */
  assignmentsOfMany(personIds: readonly string[]): Promise<Map<string, OwnAssignment[]>>
  /** Whether one of these people has the playlist. */
  hasAny(playlistId: string, personIds: readonly string[]): Promise<boolean>
  /** A page of all assignments, in the order of keys. */
  pageProjected(after: string, upTo: string | undefined, limit: number): Promise<ProjectedAssignment[]>
  /** Replaces `expected`, even a newer one, unless the stored assignment has changed. */
  replace(assignment: Assignment, expected: ProjectedAssignment): Promise<void>
  /**
   * Ends `expected`, unless the stored assignment has changed. Its date stays, so that any event is
   * newer.
   */
  unassignIfUnchanged(expected: ProjectedAssignment): Promise<void>
  /** How many people have each playlist. */
  counts(): Promise<{ playlistId: string; people: number }[]>
}

export function assignmentKey(personId: string, playlistId: string): string {
  return `${personId}:${playlistId}`
}

export function createAssignmentStore(connection: Connection): AssignmentStore {
  const schema = new Schema<StoredAssignment>(
    {
      ...{ _id: String, person_id: String, playlist_id: String, assigned: Boolean, at: Date },
      ...{ due_at: Date, due_changed_at: Date, due_set_at: Date, opened_at: Date },
      ...{ grace_until: Date, conditions: Schema.Types.Mixed },
      ...{ override_kind: String, override_by: String, override_at: Date, override_reason: String },
      override_changed_at: Date,
      resets: Schema.Types.Mixed,
    },
    { versionKey: false, collection: 'assignments' },
  )
  // It contains every field that the figures of a team read, so they read no documents.
  schema.index({
    ...{ person_id: 1, assigned: 1, at: -1, playlist_id: 1 },
    ...{ due_at: 1, override_kind: 1, opened_at: 1, grace_until: 1, conditions: 1, due_set_at: 1 },
  })
  retireIndexes(
    schema,
    'person_id_1_assigned_1_at_-1_playlist_id_1_due_at_1_override_kind_1_opened_at_1_grace_until_1_conditions_1',
    'person_id_1_assigned_1_at_-1_playlist_id_1_due_at_1_override_kind_1_opened_at_1',
    'person_id_1_assigned_1_at_-1_playlist_id_1_due_at_1_override_kind_1',
    'person_id_1_assigned_1_at_-1_playlist_id_1',
    'person_id_1_assigned_1_at_-1_playlist_id_1_due_at_1',
  )
  schema.index({ playlist_id: 1, assigned: 1, person_id: 1 })
  const stored = connection.model<StoredAssignment>('ProjectedAssignment', schema)

  /** Sets fields if their stored change is older. The assignment itself may come later. */
  async function setTerms<Field extends 'due_changed_at' | 'override_changed_at'>(
    playlistId: string,
    personIds: readonly string[],
    change: Partial<StoredAssignment> & Record<Field, Date>,
    changedAtField: Field,
    session: ClientSession,
  ): Promise<void> {
    if (personIds.length === 0) return
    // The earliest `at` lets the assignment's own event or snapshot replace this row.
    const unknown = { assigned: false, at: new Date(0) }
    await stored.collection.bulkWrite(
      personIds.map(personId => {
        const row = { person_id: personId, playlist_id: playlistId }
        const isOlder = { $lt: [{ $ifNull: [`$${changedAtField}`, '$at'] }, change[changedAtField]] }
        const isUnknown = { $eq: [{ $type: '$at' }, 'missing'] }
        const withChange = { $mergeObjects: ['$$ROOT', { $literal: change }] }
        const withRow = { $mergeObjects: ['$$ROOT', { $literal: { ...row, ...unknown, ...change } }] }
        const changed = { $cond: [isOlder, withChange, '$$ROOT'] }
        const update = [{ $replaceWith: { $cond: [isUnknown, withRow, changed] } }]
        const filter = { _id: assignmentKey(personId, playlistId) as never }
        return { updateOne: { filter, update, upsert: true } }
      }),
      { ordered: false, session },
    )
  }

  return {
    put: async (assignments, session) => {
      if (assignments.length === 0) return
      await stored.collection.bulkWrite(
        assignments.map(assignment => {
          const { at, dueChangedAt, dueSetAt, overrideChangedAt } = assignment
          const _id = assignmentKey(assignment.personId, assignment.playlistId)
          const row = { _id, ...toFields(assignment) }
          const hasNewerDue = { $gt: ['$due_changed_at', dueChangedAt] }
          // Earlier versions of the owner do not send when the due date was set.
          const keepsSetTime = dueSetAt ? false : { $eq: ['$due_changed_at', dueChangedAt] }
          const hasNewerOverride = { $gt: ['$override_changed_at', overrideChangedAt] }
          const next = {
            $mergeObjects: [
              { $literal: row },
              // An ended assignment keeps its conditions, for records.
              storedFields(assignment.assigned ? ['resets'] : ['resets', 'conditions']),
              { $cond: [hasNewerDue, storedFields(dueFields), {}] },
              { $cond: [keepsSetTime, storedFields(['due_set_at']), {}] },
              { $cond: [hasNewerOverride, storedFields(overrideFields), {}] },
            ],
          }
          const update = [{ $replaceWith: { $cond: [{ $gt: ['$at', at] }, '$$ROOT', next] } }]
          return { updateOne: { filter: { _id: _id as never }, update, upsert: true } }
        }),
        { ordered: false, ...(session && { session }) },
      )
    },
    setDue: (playlistId, personIds, { dueAt, graceUntil, conditions, at, keepsDue }, session) =>
      setTerms(
        playlistId,
        personIds,
        {
          ...{ due_at: dueAt, grace_until: graceUntil, due_changed_at: at },
          ...(!keepsDue && { due_set_at: at }),
          ...(conditions !== undefined && { conditions }),
        },
        'due_changed_at',
        session,
      ),
    openOccurrence: async (playlistId, personIds, { at, ...due }, session) => {
      const terms = { ...toDueFields(due), due_changed_at: at, opened_at: at }
      await setTerms(playlistId, personIds, terms, 'due_changed_at', session)
      const withoutOverride = { ...toOverrideFields(null), override_changed_at: at }
      await setTerms(playlistId, personIds, withoutOverride, 'override_changed_at', session)
    },
    setOverride: (playlistId, personIds, { override, at }, session) =>
      setTerms(
        playlistId,
        personIds,
        { ...toOverrideFields(override), override_changed_at: at },
        'override_changed_at',
        session,
      ),
    addReset: async (playlistId, personIds, reset, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      await stored.updateMany(
        { _id: { $in: keys }, 'resets.at': { $ne: reset.at } },
        { $push: { resets: reset } },
        { session },
      )
    },
    resetsOf: async keys => {
      const rows = await stored.find({ _id: { $in: [...keys] } }, { resets: 1 }).lean()
      return new Map(rows.map(row => [row._id, row.resets ?? []]))
    },
    eraseReasons: async personId => {
      await stored.updateMany({ person_id: personId, resets: { $exists: true } }, { $set: { 'resets.$[].reason': '' } })
      await stored.updateMany({ person_id: personId, override_reason: { $gt: '' } }, { $set: { override_reason: '' } })
    },
    unassignBatch: async (playlistId, { at, limit }, session) => {
      const filter = { playlist_id: playlistId, assigned: true }
      const options = session && { session }
      const rows = await stored.find(filter, { _id: 1 }, options).limit(limit).lean()
      const keys = rows.map(({ _id }) => _id)
      await stored.updateMany({ ...filter, _id: { $in: keys } }, { $set: { assigned: false, at } }, options)
      return rows.length
    },
    peopleOf: async playlistId => {
      const rows = await stored.find({ playlist_id: playlistId, assigned: true }, { _id: 0, person_id: 1 }).lean()
      return rows.map(row => row.person_id)
    },
    findWithTermsOf: async (playlistId, personIds, changedAt, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      const filter = { _id: { $in: keys }, due_changed_at: changedAt }
      const rows = await stored.find(filter, { person_id: 1 }, { session }).lean()
      return rows.map(row => row.person_id)
    },
    byKeys: async keys => {
      const rows = await stored.find({ _id: { $in: [...keys] } }).lean()
      return new Map(rows.map(row => [row._id, fromRow(row)]))
    },
    playlistsOf: async (personId, limit) => {
      const rows = await stored
        .find({ person_id: personId, assigned: true }, { playlist_id: 1 })
        .sort({ at: -1, playlist_id: 1 })
        .limit(limit)
        .lean()
      return rows.map(row => row.playlist_id)
    },
    assignmentsOfMany: async personIds => {
      const rows = await stored.collection
        .aggregate<{ _id: string; own: StoredAssignment[] }>([
          { $match: { person_id: { $in: [...personIds] }, assigned: true } },
          // The order of the index, which answers the query alone.
          { $sort: { person_id: 1, assigned: 1, at: -1, playlist_id: 1 } },
          { $group: { _id: '$person_id', own: { $push: storedFields(ownFields) } } },
        ])
        .toArray()
      return new Map(rows.map(({ _id, own }) => [_id, own.map(toOwnAssignment)]))
    },
    hasAny: async (playlistId, personIds) => {
      const row = await stored.exists({ playlist_id: playlistId, assigned: true, person_id: { $in: [...personIds] } })
      return row !== null
    },
    pageProjected: async (after, upTo, limit) => {
      const rows = await pageById(stored, { after, upTo, limit })
      return rows.map(row => ({ id: row._id, isDeleted: !row.assigned, row: fromRow(row) }))
    },
    replace: async (assignment, expected) => {
      await stored.updateOne(unchangedFilter(expected), { $set: toFields(assignment) })
    },
    unassignIfUnchanged: async expected => {
      await stored.updateOne(unchangedFilter(expected), { $set: { assigned: false } })
    },
    counts: async () => {
      const rows = await stored.aggregate<{ _id: string; people: number }>([
        // With a condition on the playlist id the index alone answers the query.
        { $match: { playlist_id: { $gt: '' }, assigned: true } },
        { $group: { _id: '$playlist_id', people: { $sum: 1 } } },
      ])
      return rows.map(({ _id, people }) => ({ playlistId: _id, people }))
    },
  }
}

function unchangedFilter({ id, row }: ProjectedAssignment) {
  return {
    ...{ _id: id, assigned: row.assigned, at: row.at ?? null },
    due_changed_at: { $in: [row.dueChangedAt, null] },
    override_changed_at: { $in: [row.overrideChangedAt, null] },
  }
}

const ownFields = [
  ...(['playlist_id', 'at', 'due_at', 'override_kind', 'opened_at'] as const),
  ...(['grace_until', 'conditions', 'due_set_at'] as const),
]

function toOwnAssignment(row: StoredAssignment): OwnAssignment {
  const { playlist_id, at, override_kind, opened_at, due_set_at, ...due } = row
  const state = { overrideKind: override_kind ?? null, openedAt: opened_at ?? null, dueSetAt: due_set_at ?? null }
  return { playlistId: playlist_id, at, ...readDueFields(due), ...state }
}

const dueFields = ['due_at', 'due_changed_at', 'due_set_at', 'opened_at', 'grace_until', 'conditions'] as const
const overrideFields = [
  'override_kind',
  'override_by',
  'override_at',
  'override_reason',
  'override_changed_at',
] as const

/** The stored values of fields, in an update. */
function storedFields(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, `$${name}`]))
}

function toDueFields({ dueAt, graceUntil, conditions }: DueTerms) {
  return { due_at: dueAt, grace_until: graceUntil, conditions }
}

function readDueFields({
  due_at,
  grace_until,
  conditions,
}: Pick<StoredAssignment, 'due_at' | 'grace_until' | 'conditions'>): DueTerms {
  return { dueAt: due_at ?? null, graceUntil: grace_until ?? null, conditions: conditions ?? null }
}

function toOverrideFields(override: Override | null) {
  return {
    ...{ override_kind: override?.kind ?? null, override_by: override?.by ?? null },
    ...{ override_at: override?.at ?? null, override_reason: override?.reason ?? null },
  }
}

function toFields(assignment: Assignment) {
  const { personId, playlistId, assigned, at, dueChangedAt, dueSetAt, openedAt, override } = assignment
  return {
    ...{ person_id: personId, playlist_id: playlistId, assigned, at },
    ...{ ...toDueFields(assignment), due_changed_at: dueChangedAt },
    ...(dueSetAt && { due_set_at: dueSetAt }),
    ...(openedAt && { opened_at: openedAt }),
    ...{ ...toOverrideFields(override), override_changed_at: assignment.overrideChangedAt },
  }
}

function fromRow(row: StoredAssignment): Assignment {
  return {
    ...{ personId: row.person_id, playlistId: row.playlist_id, assigned: row.assigned, at: row.at },
    ...{ ...readDueFields(row), dueChangedAt: row.due_changed_at ?? row.at },
    ...(row.due_set_at && { dueSetAt: row.due_set_at }),
    override: row.override_kind
      ? { kind: row.override_kind, by: row.override_by!, at: row.override_at!, reason: row.override_reason! }
      : null,
    overrideChangedAt: row.override_changed_at ?? row.at,
  }
}
