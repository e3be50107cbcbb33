import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate, TaskEndCause } from '@watchline/contracts/fields'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { EarlierCompletion, TaskFact } from '../rules/record/task-history.ts'

interface StoredFact {
  /** Source and person, so that a repeated event adds nothing. */
  _id: string
  person_id: string
  playlist_id: string
  kind: TaskFact['kind']
  at: Date
  by: string | null
  due?: DueDate
  reason?: string
  reset_at?: Date
  /** Absent of tasks that do not repeat. */
  recurrence?: Recurrence
  /** Absent if the event named none. Null for the default conditions. */
  conditions?: Conditions | null
  /** Only facts that end an occurrence have `skipped` and the two `previous_…` fields. */
  previous_due?: DueDate
  /** The end of the grace period of the previous due date. */
  previous_grace_until?: Date
  skipped?: DueDate[]
  /** Only in facts of tasks that ended. Absent if a person unassigned it, or if unknown. */
  end_cause?: TaskEndCause
  /**
   * The time to issue the certificate of a completion. Absent after that, and in earlier versions.
   */
  certificate_due_at?: Date
  /** Only in facts of assignments, and absent in earlier versions. */
  earlier_completion?: { completed_at: Date; valid_until?: Date; counts: boolean }
}

/** A completion that has no certificate yet. */
export interface UncertifiedCompletion {
  /** Identifies the fact. */
  factId: string
  personId: string
  playlistId: string
  at: Date
  /** The latest reset that it comes after, ms; null if none is known. */
  resetAt: number | null
}

/** A fact of several people. */
export interface NewFact extends Pick<TaskFact, 'kind' | 'playlistId' | 'by'> {
  /** The event or the completion that the fact comes from. */
  sourceId: string
  personIds: readonly string[]
  at: Date
  due?: DueDate | null | undefined
  reason?: string
  resetAt?: Date | undefined
  recurrence?: Recurrence | null | undefined
  conditions?: Conditions | null | undefined
  previousDue?: DueDate
  /** Of the previous due date. */
  graceUntil?: Date | null
  skipped?: DueDate[]
  endCause?: TaskEndCause | undefined
  /** Only of completions. */
  certificateDueAt?: Date
  /** Only of assignments: what differs between the people. */
  earlierByPerson?: ReadonlyMap<string, EarlierFact>
}

/** A person’s completion before an assignment, and the occurrence that the assignment ended. */
export interface EarlierFact {
  completion: EarlierCompletion
  ended?: { due: DueDate; graceUntil: Date | null }
}

/** The history of tasks, for records. Facts are only added; an erasure removes reasons. */
export interface TaskFactStore {
  add(fact: NewFact, session: ClientSession): Promise<void>
  /** A person's facts, or those of some playlists, oldest first. */
  listOf(personId: string, playlistIds: readonly string[] | undefined, limit: number): Promise<TaskFact[]>
  /** The changes of a person's terms that have a reason, latest first. */
  listExplainedChanges(personId: string, limit: number): Promise<TaskFact[]>
  /** The playlists of a person's tasks of which an occurrence has ended. */
  listRecurredPlaylistIds(personId: string): Promise<string[]>
  /**
   * The facts of people, or those of some playlists, by person, oldest first. Reports of everybody
   * read them without reasons.
   */
  listOfMany(
    personIds: readonly string[],
    query?: { playlistIds?: readonly string[] | undefined; withReasons?: boolean; session?: ClientSession },
  ): Promise<Map<string, TaskFact[]>>
  /** Completions whose certificate is due, the earliest request first. */
  findUncertified(now: Date, limit: number): Promise<UncertifiedCompletion[]>
  /** Those of one task, with postponed ones, in the order of the completions. */
  findUncertifiedOf(personId: string, playlistId: string): Promise<UncertifiedCompletion[]>
  /**
   * False if the certificate is not due any more. Two transactions conflict, so that only one of
   * them issues it.
   */
  claimCertificate(factId: string, session: ClientSession): Promise<boolean>
  postponeCertificate(factId: string, until: Date): Promise<void>
  /**
   * Removes the reasons of a person's exceptions and changed terms. No certificate of theirs is
   * issued any more.
   */
  erase(personId: string): Promise<void>
}

const recurredIndex = 'recurred'

export function createTaskFactStore(connection: Connection): TaskFactStore {
  const schema = new Schema<StoredFact>(
    {
      ...{ _id: String, person_id: String, playlist_id: String, kind: String, at: Date, by: String },
      previous_grace_until: Date,
      ...{ due: Schema.Types.Mixed, reason: String, reset_at: Date },
      ...{
        recurrence: Schema.Types.Mixed,
        conditions: Schema.Types.Mixed,
        previous_due: Schema.Types.Mixed,
        skipped: Schema.Types.Mixed,
      },
      end_cause: String,
      certificate_due_at: Date,
      earlier_completion: Schema.Types.Mixed,
    },
    { versionKey: false, collection: 'task_facts' },
  )
  // For `listOf` and `listOfMany`: records and reports read all facts of a person.
  schema.index({ person_id: 1, at: 1 })
  // For `listOf` of some playlists: screens that show recurring tasks poll it.
  schema.index({ person_id: 1, playlist_id: 1, at: 1 })
  // For `listExplainedChanges`. Few changes have a reason.
  schema.index(
    { person_id: 1, kind: 1, at: -1 },
    { partialFilterExpression: { kind: 'due_changed', reason: { $gt: '' } } },
  )
  // For `listRecurredPlaylistIds`: of people without recurring tasks it reads nothing.
  schema.index(
    { person_id: 1, playlist_id: 1 },
    { name: recurredIndex, partialFilterExpression: { previous_due: { $exists: true } } },
  )
  // For `findUncertified`. Few completions have no certificate yet.
  schema.index({ certificate_due_at: 1 }, { partialFilterExpression: { certificate_due_at: { $gt: new Date(0) } } })
  const stored = connection.model<StoredFact>('TaskFact', schema)

  return {
    add: async ({ sourceId, personIds, playlistId, kind, at, by, due, reason, resetAt, ...terms }, session) => {
      const { recurrence, conditions, previousDue, graceUntil, skipped, endCause, certificateDueAt, earlierByPerson } =
        terms
      const fact = {
        ...{ playlist_id: playlistId, kind, at, by },
        ...(due && { due }),
        ...(reason !== undefined && { reason }),
        ...(resetAt && { reset_at: resetAt }),
        ...(recurrence && { recurrence }),
        ...(conditions !== undefined && { conditions }),
        ...(previousDue && { previous_due: previousDue }),
        ...(graceUntil && { previous_grace_until: graceUntil }),
        ...(skipped && { skipped }),
        ...(endCause && { end_cause: endCause }),
        ...(certificateDueAt && { certificate_due_at: certificateDueAt }),
      }
      await stored.collection.bulkWrite(
        personIds.map(personId => ({
          updateOne: {
            filter: { _id: `${sourceId}:${personId}` as never },
            update: {
              $setOnInsert: { person_id: personId, ...fact, ...toEarlierFields(earlierByPerson?.get(personId)) },
            },
            upsert: true,
          },
        })),
        { ordered: false, session },
      )
    },
    listOf: async (personId, playlistIds, limit) => {
      const rows = await stored
        .find({ person_id: personId, ...(playlistIds && { playlist_id: { $in: [...playlistIds] } }) })
        .sort({ at: 1 })
        .limit(limit)
        .lean()
      return rows.map(fromRow)
    },
    listExplainedChanges: async (personId, limit) => {
      const rows = await stored
        .find({ person_id: personId, kind: 'due_changed', reason: { $gt: '' } })
        .sort({ at: -1 })
        .limit(limit)
        .lean()
      return rows.map(fromRow)
    },
    listRecurredPlaylistIds: async personId => {
      const rows = await stored
        .find({ person_id: personId, previous_due: { $exists: true } }, { playlist_id: 1 })
        // The indexes with all facts of the person look as good to MongoDB.
        .hint(recurredIndex)
        .lean()
      return [...new Set(rows.map(row => row.playlist_id))]
    },
    listOfMany: async (personIds, { playlistIds, withReasons = false, session } = {}) => {
      const ofPlaylists = playlistIds && { playlist_id: { $in: [...playlistIds] } }
      const rows = await stored
        .find({ person_id: { $in: [...personIds] }, ...ofPlaylists }, withReasons ? {} : { reason: 0 })
        .session(session ?? null)
        .sort({ person_id: 1, at: 1 })
        .lean()
      const found = new Map<string, TaskFact[]>()
      for (const row of rows) {
        const facts = found.get(row.person_id)
        if (facts) facts.push(fromRow(row))
        else found.set(row.person_id, [fromRow(row)])
      }
      return found
    },
    findUncertified: async (now, limit) => {
      const rows = await stored
        .find({ certificate_due_at: { $gt: new Date(0), $lte: now } })
        .sort({ certificate_due_at: 1 })
        .limit(limit)
        .lean()
      return rows.map(toUncertified)
    },
    findUncertifiedOf: async (personId, playlistId) => {
      const requested = { certificate_due_at: { $gt: new Date(0) } }
      const rows = await stored
        .find({ person_id: personId, playlist_id: playlistId, ...requested })
        .sort({ at: 1 })
        .lean()
      return rows.map(toUncertified)
    },
    claimCertificate: async (factId, session) => {
      const isDue = { _id: factId, certificate_due_at: { $exists: true } }
      const { modifiedCount } = await stored.updateOne(isDue, { $unset: { certificate_due_at: 1 } }, { session })
      return modifiedCount > 0
    },
    postponeCertificate: async (factId, until) => {
      const isDue = { _id: factId, certificate_due_at: { $exists: true } }
      await stored.updateOne(isDue, { $set: { certificate_due_at: until } })
    },
    erase: async personId => {
      await stored.updateMany({ person_id: personId, reason: { $gt: '' } }, { $set: { reason: '' } })
      const isDue = { person_id: personId, certificate_due_at: { $exists: true } }
      await stored.updateMany(isDue, { $unset: { certificate_due_at: 1 } })
    },
  }
}

function toUncertified(row: StoredFact): UncertifiedCompletion {
  const { _id, person_id, playlist_id, at, reset_at } = row
  const resetAt = reset_at?.getTime() ?? null
  return { factId: _id, personId: person_id, playlistId: playlist_id, at, resetAt }
}

function toEarlierFields(earlier: EarlierFact | undefined): Partial<StoredFact> {
  if (!earlier) return {}
  const { completion, ended } = earlier
  const { completedAt, validUntil, counts } = completion
  const expiry = validUntil === null ? {} : { valid_until: new Date(validUntil) }
  return {
    earlier_completion: { completed_at: new Date(completedAt), ...expiry, counts },
    ...(ended && { previous_due: ended.due }),
    ...(ended?.graceUntil && { previous_grace_until: ended.graceUntil }),
  }
}

function readEarlier({ earlier_completion: earlier }: StoredFact): EarlierCompletion | undefined {
  if (!earlier) return undefined
  const { completed_at, valid_until, counts } = earlier
  return { completedAt: completed_at.getTime(), validUntil: valid_until?.getTime() ?? null, counts }
}

function fromRow(row: StoredFact): TaskFact {
  return {
    ...{ playlistId: row.playlist_id, kind: row.kind, at: row.at.getTime(), by: row.by ?? null },
    ...{ due: row.due ?? null, reason: row.reason ?? '', resetAt: row.reset_at?.getTime() ?? null },
    conditions: row.conditions,
    graceUntil: row.previous_grace_until?.getTime() ?? null,
    earlierCompletion: readEarlier(row),
    endCause: row.end_cause ?? null,
    ...{ recurrence: row.recurrence ?? null, previousDue: row.previous_due ?? null, skipped: row.skipped ?? [] },
  }
}
