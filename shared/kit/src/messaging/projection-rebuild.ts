import { randomUUID } from 'node:crypto'
import type { KeyPage } from '@watchline/contracts/internal-operations'
import type { Connection } from 'mongoose'
import { repeat } from '../core/repeat.ts'
import type { Logger } from '../observability/log.ts'
import { scheduleVersionBump } from './outbox-store.ts'

/** A stored entry, with the fields that show whether it changed after it was read. */
export interface ProjectedEntry {
  id: string
  /** Stored as removed. */
  isDeleted?: boolean
}

/** The stored entries of a projection, as a rebuild reads and changes them. */
export interface ProjectionStorage<T, K extends ProjectedEntry> {
  /**
   * Entries in the order of ids: after `after`, up to and including `upTo` (to the end if
   * undefined).
   */
  findRange(after: string, upTo: string | undefined, limit: number): Promise<K[]>
  /** Whether the stored entry has the content of the owner's entry. */
  matches(stored: K, entry: T): boolean
  /**
   * Compare-and-set: replaces `expected` by the owner's entry, older or newer, unless the stored
   * entry has changed since it was read.
   */
  replace(entry: T, expected: K): Promise<void>
  /** Removes `expected`, unless the stored entry has changed since it was read. */
  remove(expected: K): Promise<void>
  /** The keys of the live store's versions that depend on these entries. */
  versionsOf(ids: readonly string[]): string[]
  /** Called after entries were changed; may be called again. */
  afterChange?(ids: readonly string[]): Promise<void>
}

export interface RebuildSource<T, K extends ProjectedEntry> {
  connection: Connection
  /** The projection's name within its service. */
  name: string
  /** A page of the owner's entries, in the order of ids; rejects while the owner is unavailable. */
  fetchPage(page: KeyPage, signal: AbortSignal): Promise<T[]>
  /** The owner's entry, undefined if there is none; rejects while the owner is unavailable. */
  fetchOne(id: string, signal: AbortSignal): Promise<T | undefined>
  pageSize: number
  idOf(entry: T): string
  /** Adds entries; an older one must not replace a newer one. */
  apply(entries: readonly T[]): Promise<void>
  storage: ProjectionStorage<T, K>
  log: Logger
}

/** A rebuild as it is stored with the projection, in `projection_states`. */
export interface Rebuild {
  id: string
  state: 'requested' | 'running' | 'done'
  requested_at: Date
  started_at?: Date
  finished_at?: Date
  /** The replica that runs it, and the end of its lease. */
  holder?: string
  until?: Date
  /** All entries up to this id are done. */
  after: string
  checked: number
  added: number
  put_right: number
  removed: number
  /** The reason for the interruption. */
  problem?: string
}

export interface ProjectionState {
  _id: string
  filled_at: Date
  rebuild?: Rebuild
}

const statesOf = (connection: Connection) => connection.collection<ProjectionState>('projection_states')

const pollMs = 3_000
const leaseMs = 10_000
const retryMs = 2_000
const concurrentFetches = 16

/** The projections of a service, by name. */
export async function projectionsOf(connection: Connection): Promise<ProjectionState[]> {
  return statesOf(connection).find().sort({ _id: 1 }).toArray()
}

/**
 * Requests a rebuild, which any replica may start; false if one is requested or running already.
 */
export async function requestRebuild(connection: Connection, name: string, now: Date): Promise<boolean> {
  const rebuild: Rebuild = {
    id: randomUUID(),
    state: 'requested',
    requested_at: now,
    after: '',
    checked: 0,
    added: 0,
    put_right: 0,
    removed: 0,
  }
  const { matchedCount } = await statesOf(connection).updateOne(
    { _id: name, 'rebuild.state': { $nin: ['requested', 'running'] } },
    { $set: { rebuild } },
  )
  return matchedCount === 1
}

/**
 * Rebuilds a projection from its owner while the service runs, when `projection_states` has a
 * request. It reads the owner's list and the stored entries side by side and corrects differences
 * in place, so readers never miss an entry. It fetches a differing entry again after it has read
 * the stored one. That answer includes every event that arrived here before, so it counts even if
 * the stored entry has a higher version. A change that an event makes in between stays.
 *
 * One replica at a time does it, under a lease. It stores its progress after every page, and
 * another replica continues from there.
 */
export function createRebuilder<T, K extends ProjectedEntry>(source: RebuildSource<T, K>) {
  const { connection, name, fetchPage, fetchOne, pageSize, idOf, apply, storage, log } = source
  const replicaId = randomUUID()
  let running: Promise<void> | undefined

  async function claim(): Promise<Rebuild | undefined> {
    const now = new Date()
    const state = await statesOf(connection).findOneAndUpdate(
      {
        _id: name,
        'rebuild.state': { $in: ['requested', 'running'] },
        'rebuild.until': { $not: { $gt: now } },
      },
      {
        $set: { 'rebuild.state': 'running', 'rebuild.holder': replicaId, 'rebuild.until': leaseFrom(now) },
        $min: { 'rebuild.started_at': now },
      },
      { returnDocument: 'after' },
    )
    return state?.rebuild
  }

  /** Stores the fields and extends the lease. Throws if another replica has taken over. */
  async function saveProgress(rebuild: Rebuild, fields: Partial<Rebuild>): Promise<void> {
    const saved = { until: leaseFrom(new Date()), ...fields }
    const { matchedCount } = await statesOf(connection).updateOne(
      { _id: name, 'rebuild.id': rebuild.id, 'rebuild.holder': replicaId },
      { $set: Object.fromEntries(Object.entries(saved).map(([key, value]) => [`rebuild.${key}`, value])) },
    )
    if (matchedCount === 0) throw new Error('another replica continues the rebuild')
  }

  async function run(claimed: Rebuild, signal: AbortSignal): Promise<void> {
    log.info({ projection: name, after: claimed.after }, 'projection rebuild started')
    const progress = { ...claimed }
    for (;;) {
      const entries = await fetchPage({ after: progress.after, limit: pageSize }, signal)
      const upTo = entries.length < pageSize ? undefined : idOf(entries.at(-1)!)
      await correctRange(entries, upTo, progress, signal)
      progress.checked += entries.length
      if (upTo === undefined) break
      progress.after = upTo
      const { after, checked, added, put_right, removed } = progress
      await saveProgress(claimed, { after, checked, added, put_right, removed, problem: '' })
    }
    // Covers changes of a replica that died before it bumped their versions.
    await scheduleVersionBump(connection, storage.versionsOf([]))
    const { checked, added, put_right, removed } = progress
    const result = { checked, added, put_right, removed }
    await saveProgress(claimed, { state: 'done', finished_at: new Date(), ...result, problem: '' })
    log.info({ projection: name, ...result }, 'projection rebuilt')
  }

  /**
   * Corrects the stored entries after `progress.after` up to `upTo` by the owner's entries of that
   * range.
   */
  async function correctRange(
    entries: readonly T[],
    upTo: string | undefined,
    progress: Rebuild,
    signal: AbortSignal,
  ): Promise<void> {
    const missing = new Map(entries.map(entry => [idOf(entry), entry]))
    for (let after = progress.after; ; ) {
      const page = await storage.findRange(after, upTo, pageSize)
      const differing = page.filter(stored => {
        const entry = missing.get(stored.id)
        missing.delete(stored.id)
        return entry ? !storage.matches(stored, entry) : !stored.isDeleted
      })
      await correctEntries(differing, progress, signal)
      if (page.length < pageSize) break
      after = page.at(-1)!.id
    }
    const added = [...missing.values()]
    if (added.length === 0) return
    await apply(added)
    progress.added += added.length
    await publishCorrections([...missing.keys()])
  }

  async function correctEntries(differing: readonly K[], progress: Rebuild, signal: AbortSignal): Promise<void> {
    for (let start = 0; start < differing.length; start += concurrentFetches) {
      const batch = differing.slice(start, start + concurrentFetches)
      await Promise.all(batch.map(expected => correctEntry(expected, progress, signal)))
      await publishCorrections(batch.map(({ id }) => id))
      await saveProgress(progress, {})
    }
  }

  async function correctEntry(expected: K, progress: Rebuild, signal: AbortSignal): Promise<void> {
    const latest = await fetchOne(expected.id, signal)
    if (latest ? storage.matches(expected, latest) : expected.isDeleted) return
    if (latest) {
      await storage.replace(latest, expected)
      progress.put_right += 1
    } else {
      await storage.remove(expected)
      progress.removed += 1
    }
  }

  async function publishCorrections(ids: readonly string[]): Promise<void> {
    await storage.afterChange?.(ids)
    await scheduleVersionBump(connection, storage.versionsOf(ids))
  }

  async function runIfRequested(signal: AbortSignal): Promise<void> {
    const rebuild = await claim()
    if (!rebuild) return
    try {
      await run(rebuild, signal)
    } catch (error) {
      const isStopped = signal.aborted
      log[isStopped ? 'info' : 'warn'](
        { err: error, projection: name },
        'projection rebuild interrupted, continues later',
      )
      const problem = isStopped ? 'the replica that did it was stopped' : (error as Error).message
      await saveProgress(rebuild, { until: new Date(Date.now() + (isStopped ? 0 : retryMs)), problem }).catch(() => {})
    }
  }

  return {
    /** Polls for requests until the signal. */
    start(signal: AbortSignal): void {
      const onError = (error: unknown) =>
        log.warn({ err: error, projection: name }, 'rebuild requests could not be read, retrying')
      running = repeat(() => runIfRequested(signal), { pauseMs: pollMs, jitter: true, onError }, signal)
    },
    /** Resolves when no work is running any more; call it after the signal. */
    waitUntilStopped: async () => running,
  }
}

const leaseFrom = (now: Date) => new Date(now.getTime() + leaseMs)
