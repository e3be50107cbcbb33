import { limits } from '@watchline/contracts/limits'
import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import { inTransaction, newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { currentStatus, type ImportStatus } from '../rules/import-state.ts'

const unfinishedMs = 24 * 3_600_000

export interface ImportRecord {
  id: string
  fileName: string
  createdAt: number
  /** How many parts the file has, and whether all are there. */
  parts: number
  isComplete: boolean
  /** As it is now: `interrupted` when nothing has been heard of its run for long. */
  status: ImportStatus
  /** Which run of the work this is about; each begin is a new one. */
  run: string | null
  progress: PeopleImport['progress']
  counts: PeopleImport['counts']
  problemCount: number
  problems: ImportProblem[]
}

/** What a run found. */
export interface ImportResult {
  status: 'checked' | 'refused' | 'applied' | 'interrupted'
  progress?: PeopleImport['progress']
  counts?: PeopleImport['counts']
  problems?: readonly ImportProblem[]
}

interface StoredImport {
  _id: string
  file_name: string
  created_at: Date
  parts: number
  received: number[]
  status: ImportStatus
  run: string | null
  begun_at: Date
  progress: PeopleImport['progress']
  counts: PeopleImport['counts']
  problem_count: number
  problems: ImportProblem[]
  /** Absent once everybody is in. */
  expires_at?: Date
}

/** Apart from the import, that the transaction of a run writes to: its progress is seen while that is open. */
interface StoredRun {
  _id: string
  done: number
  total: number
  heard_at: Date
  expires_at: Date
}

interface StoredPart {
  _id: string
  import_id: string
  part: number
  text: string
  expires_at: Date
}

export type ImportStore = ReturnType<typeof createImportStore>

const nobody: PeopleImport['counts'] = { user: 0, supervisor: 0, manager: 0, director: 0 }

/** Imports of people: their files in parts, their state and the progress of their runs. What is not finished goes after a day. */
export function createImportStore(connection: Connection) {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredImport>(
    {
      _id: String,
      file_name: String,
      created_at: Date,
      parts: Number,
      received: [Number],
      status: String,
      run: String,
      begun_at: Date,
      progress: mixed,
      counts: mixed,
      problem_count: Number,
      problems: mixed,
      expires_at: Date,
    },
    { versionKey: false, collection: 'imports', minimize: false },
  )
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const stored = connection.model<StoredImport>('Import', schema)

  const runSchema = new Schema<StoredRun>(
    { _id: String, done: Number, total: Number, heard_at: Date, expires_at: Date },
    { versionKey: false, collection: 'import_runs' },
  )
  runSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const runs = connection.model<StoredRun>('ImportRun', runSchema)

  const partSchema = new Schema<StoredPart>(
    { _id: String, import_id: String, part: Number, text: String, expires_at: Date },
    { versionKey: false, collection: 'import_parts' },
  )
  partSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  partSchema.index({ import_id: 1, part: 1 })
  const parts = connection.model<StoredPart>('ImportPart', partSchema)

  async function present(row: StoredImport, now: number): Promise<ImportRecord> {
    const works = row.status === 'checking' || row.status === 'applying'
    const run = works && row.run ? await runs.findById(row.run).lean() : undefined
    const heardAt = Math.max(row.begun_at.getTime(), run?.heard_at.getTime() ?? 0)
    return {
      id: row._id,
      fileName: row.file_name,
      createdAt: row.created_at.getTime(),
      parts: row.parts,
      isComplete: row.received.length === row.parts,
      status: currentStatus(row.status, heardAt, now),
      run: row.run,
      progress: run ? { done: run.done, total: run.total } : row.progress,
      counts: row.counts,
      problemCount: row.problem_count,
      problems: row.problems,
    }
  }

  return {
    create: async (fileName: string, count: number, now: number): Promise<ImportRecord> => {
      const row: StoredImport = {
        _id: newId(),
        file_name: fileName,
        created_at: new Date(now),
        parts: count,
        received: [],
        status: 'uploading',
        run: null,
        begun_at: new Date(now),
        progress: { done: 0, total: 0 },
        counts: nobody,
        problem_count: 0,
        problems: [],
        expires_at: new Date(now + unfinishedMs),
      }
      await stored.create(row)
      return present(row, now)
    },

    find: async (id: string, now: number): Promise<ImportRecord | undefined> => {
      const row = await stored.findById(id).lean()
      return row ? present(row, now) : undefined
    },

    /** Keeps a part, or replaces it; undefined once the file is being checked. Both are noted together: a check finds all or none. */
    savePart: (id: string, part: number, text: string, now: number): Promise<ImportRecord | undefined> =>
      inTransaction(connection, async session => {
        const row = await stored
          .findOneAndUpdate(
            { _id: id, status: 'uploading', parts: { $gt: part } },
            { $addToSet: { received: part } },
            { session, returnDocument: 'after' },
          )
          .lean()
        if (!row) return undefined
        await parts.updateOne(
          { _id: `${id}:${part}` },
          { $set: { import_id: id, part, text, expires_at: row.expires_at } },
          { session, upsert: true },
        )
        return present(row, now)
      }),

    /** The text of the file; undefined when it is no longer all there. */
    text: async (id: string, count: number): Promise<string | undefined> => {
      const rows = await parts.find({ import_id: id }, { text: 1 }).sort({ part: 1 }).lean()
      return rows.length === count ? rows.map(row => row.text).join('') : undefined
    },

    /** Begins a run, if the import is as it was seen: of several that begin at once one does. */
    begin: async (
      seen: ImportRecord,
      status: 'checking' | 'applying',
      run: string,
      now: number,
    ): Promise<ImportRecord | undefined> => {
      // Seen as interrupted, it is stored as what it did then, or as that.
      const was: ImportStatus[] =
        seen.status === 'interrupted' ? ['checking', 'applying', 'interrupted'] : [seen.status]
      const row = await stored
        .findOneAndUpdate(
          { _id: seen.id, run: seen.run, status: { $in: was } },
          {
            $set: {
              status,
              run,
              begun_at: new Date(now),
              progress: { done: 0, total: status === 'applying' ? seen.progress.total : 0 },
              problem_count: 0,
              problems: [],
            },
          },
          { returnDocument: 'after' },
        )
        .lean()
      return row ? present(row, now) : undefined
    },

    /** A sign of life from a run. */
    reportProgress: async (run: string, { done, total }: PeopleImport['progress'], now: number): Promise<void> => {
      const set = { done, total, heard_at: new Date(now), expires_at: new Date(now + unfinishedMs) }
      await runs.updateOne({ _id: run }, { $set: set }, { upsert: true })
    },

    /** Ends a run; false when it is no longer this import's, because another has begun after a long silence. */
    end: async (id: string, run: string, result: ImportResult, session?: ClientSession): Promise<boolean> => {
      const { status, progress, counts = nobody, problems = [] } = result
      const shown = problems.slice(0, limits.importMaxProblems)
      const { matchedCount } = await stored.updateOne(
        { _id: id, run, status: { $in: ['checking', 'applying'] } },
        {
          $set: { status, counts, problem_count: problems.length, problems: shown, ...(progress && { progress }) },
          ...(status === 'applied' && { $unset: { expires_at: 1 } }),
        },
        session && { session },
      )
      return matchedCount === 1
    },

    /** Lets go of the file, whose people are in. */
    deleteParts: async (id: string): Promise<void> => {
      await parts.deleteMany({ import_id: id })
    },
  }
}
