import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import { type Connection, Schema } from 'mongoose'
import type { ImportStatus } from '../rules/import-state.ts'

export interface StoredImport {
  _id: string
  file_name: string
  created_at: Date
  /** Absent in imports of earlier versions. */
  created_by?: string
  parts: number
  /** The numbers of the uploaded parts. */
  received: number[]
  status: ImportStatus
  run: string | null
  begun_at: Date
  progress: PeopleImport['progress']
  counts: PeopleImport['counts']
  problem_count: number
  problems: ImportProblem[]
  /** Absent once the import is applied. */
  expires_at?: Date
}

/**
 * The progress of a run. It is a row of its own, because the transaction of the run writes to the
 * import: readers must see progress while that transaction is open.
 */
export interface StoredImportRun {
  _id: string
  done: number
  total: number
  heard_at: Date
  expires_at: Date
}

export interface StoredImportPart {
  _id: string
  import_id: string
  part: number
  text: string
  expires_at: Date
}

export function createImportModels(connection: Connection) {
  const mixed = Schema.Types.Mixed
  const importSchema = new Schema<StoredImport>(
    {
      _id: String,
      file_name: String,
      created_at: Date,
      created_by: String,
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
  importSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

  const runSchema = new Schema<StoredImportRun>(
    { _id: String, done: Number, total: Number, heard_at: Date, expires_at: Date },
    { versionKey: false, collection: 'import_runs' },
  )
  runSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

  const partSchema = new Schema<StoredImportPart>(
    { _id: String, import_id: String, part: Number, text: String, expires_at: Date },
    { versionKey: false, collection: 'import_parts' },
  )
  partSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  partSchema.index({ import_id: 1, part: 1 })

  return {
    imports: connection.model<StoredImport>('Import', importSchema),
    runs: connection.model<StoredImportRun>('ImportRun', runSchema),
    parts: connection.model<StoredImportPart>('ImportPart', partSchema),
  }
}
