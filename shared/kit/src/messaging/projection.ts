import type { KeyPage } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { type Connection, type Model, Schema } from 'mongoose'
import { ServiceError } from '../core/errors.ts'
import type { Logger } from '../observability/log.ts'
import {
  createRebuilder,
  type ProjectedEntry,
  type ProjectionState,
  type ProjectionStorage,
} from './projection-rebuild.ts'

const snapshotPage = limits.internalPageMax
const longestWaitMs = 5_000

/** Where a projection's entries come from: their owner's internal routes. */
export interface ProjectionSource<T, K extends ProjectedEntry> {
  connection: Connection
  /** Of the projection, within its service. */
  name: string
  /** A page of the owner's entries, in the order of ids; rejects when the owner cannot be asked. */
  fetchPage(page: KeyPage, signal: AbortSignal): Promise<T[]>
  /** The owner's entry, undefined when there is none; rejects when the owner cannot be asked. */
  fetchOne(id: string, signal?: AbortSignal): Promise<T | undefined>
  idOf(entry: T): string
  /** Guarded, so that what is newer stays. */
  apply(entries: readonly T[]): Promise<void>
  /** Storage functions that a rebuild needs. */
  storage: ProjectionStorage<T, K>
  log: Logger
}

export interface ProjectionFill<T> {
  /**
   * Takes the owner's snapshot, once in the life of the database; waits until the owner can be asked. From then on, until the signal,
   * it rebuilds the projection when it is asked to (`npm run projection -- rebuild`).
   */
  fill(signal: AbortSignal): Promise<void>
  /** Resolves when nothing is under way any more; call it after the signal. */
  stopped(): Promise<void>
  /** Asks the owner for one entry and keeps it; undefined when there is none. Throws 503 `unavailable` when it cannot be asked. */
  readThrough(id: string): Promise<T | undefined>
}

/** The beginning of every projection (a snapshot) and its way out when it is behind (reading through). */
export function createProjectionFill<T, K extends ProjectedEntry>(source: ProjectionSource<T, K>): ProjectionFill<T> {
  const { connection, name, fetchPage, fetchOne, idOf, apply, log } = source
  const states = stateModel(connection)

  async function fillOnce(signal: AbortSignal) {
    if (await states.exists({ _id: name })) return
    let after = ''
    for (;;) {
      const entries = await fetchPage({ after, limit: snapshotPage }, signal)
      if (entries.length > 0) await apply(entries)
      if (entries.length < snapshotPage) break
      after = idOf(entries.at(-1)!)
    }
    await states.updateOne({ _id: name }, { $set: { filled_at: new Date() } }, { upsert: true })
  }

  const rebuilder = createRebuilder({ ...source, pageSize: snapshotPage })

  return {
    fill: async signal => {
      for (let attempt = 0; ; attempt += 1) {
        try {
          await fillOnce(signal)
          return rebuilder.start(signal)
        } catch (error) {
          if (signal.aborted) return
          log.info({ err: error, attempt }, `waiting for the owner to fill the projection of ${name}`)
          await new Promise(resolve => setTimeout(resolve, Math.min(longestWaitMs, 200 * 2 ** attempt)))
        }
      }
    },
    stopped: rebuilder.stopped,
    readThrough: async id => {
      let entry: T | undefined
      try {
        entry = await fetchOne(id)
      } catch (error) {
        throw new ServiceError('unavailable', { retryAfterS: 2, cause: error })
      }
      if (entry) await apply([entry])
      return entry
    },
  }
}

function stateModel(connection: Connection): Model<ProjectionState> {
  return (
    (connection.models.ProjectionState as Model<ProjectionState> | undefined) ??
    connection.model<ProjectionState>(
      'ProjectionState',
      new Schema<ProjectionState>(
        { _id: String, filled_at: Date, rebuild: Schema.Types.Mixed },
        { versionKey: false, collection: 'projection_states' },
      ),
    )
  )
}
