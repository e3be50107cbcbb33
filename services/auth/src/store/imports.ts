import { limits } from '@watchline/contracts/limits'
import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import { fullScan, inTransaction, newId } from '@watchline/kit/mongo/database'
import type { ClientSession, Connection } from 'mongoose'
import { currentStatus, type ImportStatus, isRunning } from '../rules/import-state.ts'
import { createImportModels, type StoredImport } from './import-models.ts'

const unfinishedTtlMs = 24 * 3_600_000

export interface ImportRecord {
  id: string
  fileName: string
  createdAt: number
  /** The number of parts of the file, and whether all are uploaded. */
  parts: number
  isComplete: boolean
  /** The current status: `interrupted` when its run has reported nothing for too long. */
  status: ImportStatus
  /** The id of the latest check or application; every start creates a new one. */
  run: string | null
  progress: PeopleImport['progress']
  counts: PeopleImport['counts']
  problemCount: number
  problems: ImportProblem[]
}

/** The outcome of a run. */
export interface ImportResult {
  status: 'checked' | 'refused' | 'applied' | 'interrupted'
  progress?: PeopleImport['progress']
  counts?: PeopleImport['counts']
  problems?: readonly ImportProblem[]
}

export type ImportStore = ReturnType<typeof createImportStore>

const noPeople: PeopleImport['counts'] = { user: 0, supervisor: 0, manager: 0, director: 0 }

/**
 * Imports of people: their files in parts, their state and the progress of their runs. Unfinished
 * ones expire.
 */
export function createImportStore(connection: Connection) {
  const { imports, runs, parts } = createImportModels(connection)

  async function toImportRecord(row: StoredImport, now: number): Promise<ImportRecord> {
    const run = isRunning(row.status) && row.run ? await runs.findById(row.run).lean() : undefined
    const lastReportAt = Math.max(row.begun_at.getTime(), run?.heard_at.getTime() ?? 0)
    return {
      id: row._id,
      fileName: row.file_name,
      createdAt: row.created_at.getTime(),
      parts: row.parts,
      isComplete: row.received.length === row.parts,
      status: currentStatus(row.status, lastReportAt, now),
      run: row.run,
      progress: run ? { done: run.done, total: run.total } : row.progress,
      counts: row.counts,
      problemCount: row.problem_count,
      problems: row.problems,
    }
  }

  return {
    create: async (
      { fileName, partCount, by }: { fileName: string; partCount: number; by: string },
      now: number,
    ): Promise<ImportRecord> => {
      const row: StoredImport = {
        _id: newId(),
        file_name: fileName,
        created_at: new Date(now),
        created_by: by,
        parts: partCount,
        received: [],
        status: 'uploading',
        run: null,
        begun_at: new Date(now),
        progress: { done: 0, total: 0 },
        counts: noPeople,
        problem_count: 0,
        problems: [],
        expires_at: new Date(now + unfinishedTtlMs),
      }
      await imports.create(row)
      return toImportRecord(row, now)
    },

    find: async (id: string, now: number): Promise<ImportRecord | undefined> => {
      const row = await imports.findById(id).lean()
      return row ? toImportRecord(row, now) : undefined
    },

    /**
     * Saves or replaces a part; undefined once the check of the file has started. One transaction
     * writes the part and its number, so that a check sees both or neither.
     */
    savePart: (id: string, part: number, text: string, now: number): Promise<ImportRecord | undefined> =>
      inTransaction(connection, async session => {
        const row = await imports
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
        return toImportRecord(row, now)
      }),

    /** The text of the file; undefined if parts are missing. */
    text: async (id: string, partCount: number): Promise<string | undefined> => {
      const rows = await parts.find({ import_id: id }, { text: 1 }).sort({ part: 1 }).lean()
      return rows.length === partCount ? rows.map(row => row.text).join('') : undefined
    },

    /**
     * Starts a run, unless the import has changed since `current` was read; only one of several
     * starts succeeds.
     */
    startRun: async (
      current: ImportRecord,
      status: 'checking' | 'applying',
      run: string,
      now: number,
    ): Promise<ImportRecord | undefined> => {
      // An interrupted run that could not record its end is still stored as running.
      const storedStatus: ImportStatus[] =
        current.status === 'interrupted' ? ['checking', 'applying', 'interrupted'] : [current.status]
      const row = await imports
        .findOneAndUpdate(
          { _id: current.id, run: current.run, status: { $in: storedStatus } },
          {
            $set: {
              status,
              run,
              begun_at: new Date(now),
              progress: { done: 0, total: status === 'applying' ? current.progress.total : 0 },
              problem_count: 0,
              problems: [],
            },
          },
          { returnDocument: 'after' },
        )
        .lean()
      return row ? toImportRecord(row, now) : undefined
    },

    /** Records the progress of a run, and that it is alive. */
    reportProgress: async (run: string, { done, total }: PeopleImport['progress'], now: number): Promise<void> => {
      const fields = { done, total, heard_at: new Date(now), expires_at: new Date(now + unfinishedTtlMs) }
      await runs.updateOne({ _id: run }, { $set: fields }, { upsert: true })
    },

    /** Ends a run; false when a newer run of this import has replaced it. */
    endRun: async (id: string, run: string, result: ImportResult, session?: ClientSession): Promise<boolean> => {
      const { status, progress, counts = noPeople, problems = [] } = result
      const firstProblems = problems.slice(0, limits.importMaxProblems)
      const { matchedCount } = await imports.updateOne(
        { _id: id, run, status: { $in: ['checking', 'applying'] } },
        {
          $set: {
            status,
            counts,
            problem_count: problems.length,
            problems: firstProblems,
            ...(progress && { progress }),
          },
          ...(status === 'applied' && { $unset: { expires_at: 1 } }),
        },
        session && { session },
      )
      return matchedCount === 1
    },

    /**
     * Removes unfinished imports whose files contain one of these email addresses. In others it
     * removes lists of problems and names of files with one of these addresses or names, and the
     * names of the person's own files.
     */
    removeMentions: async ({
      personId,
      emails,
      names,
    }: {
      personId: string
      emails: readonly string[]
      names: readonly string[]
    }): Promise<void> => {
      const mentions = (text: string, needles: readonly string[]) =>
        needles.some(needle => text.toLowerCase().includes(needle.toLowerCase()))
      for await (const row of imports.find({}, {}, fullScan).lean()) {
        const stored = await parts.find({ import_id: row._id }, { text: 1 }).sort({ part: 1 }).lean()
        if (mentions(stored.map(({ text }) => text).join(''), emails)) {
          await imports.deleteOne({ _id: row._id })
          await parts.deleteMany({ import_id: row._id })
          continue
        }
        const needles = [...emails, ...names]
        const change = {
          ...(mentions(JSON.stringify(row.problems), needles) && { problems: [] }),
          ...((row.created_by === personId || mentions(row.file_name, needles)) && { file_name: '' }),
        }
        if (Object.keys(change).length > 0) await imports.updateOne({ _id: row._id }, { $set: change })
      }
    },

    deleteParts: async (id: string): Promise<void> => {
      await parts.deleteMany({ import_id: id })
    },
  }
}
