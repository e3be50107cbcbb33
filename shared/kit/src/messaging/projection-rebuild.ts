import { randomUUID } from 'node:crypto'
import type { KeyPage } from '@watchline/contracts/internal-operations'
import type { Connection } from 'mongoose'
import { repeat } from '../core/repeat.ts'
import type { Logger } from '../observability/log.ts'
import { bumpVersionsOnCommit } from './outbox.ts'

/** The part of a stored entry that shows whether it changed since it was read. */
export interface ProjectedEntry {
  id: string
  /** Remembered as removed. */
  gone?: boolean
}

/** The kept entries of a projection, as a rebuild sees and changes them. */
export interface ProjectionStorage<T, K extends ProjectedEntry> {
  /** In the order of ids: after `after`, up to and with `upTo` (to the end when undefined), at most `limit`. */
  kept(after: string, upTo: string | undefined, limit: number): Promise<K[]>
  /** Whether what is kept says what the owner's entry says. */
  agrees(kept: K, entry: T): boolean
  /** Puts the owner's entry in the place of what was seen, older or newer, unless that has changed since. */
  replace(entry: T, seen: K): Promise<void>
  /** Takes away what was seen, unless it has changed since. */
  remove(seen: K): Promise<void>
  /** The versions in the live store that stand for these entries. */
  versionsOf(ids: readonly string[]): string[]
  /** Done after entries were changed; may be done again. */
  afterwards?(ids: readonly string[]): Promise<void>
}

export interface RebuildSource<T, K extends ProjectedEntry> {
  connection: Connection
  /** Of the projection, within its service. */
  name: string
  /** A page of the owner's entries, in the order of ids; rejects when the owner cannot be asked. */
  fetchPage(page: KeyPage, signal: AbortSignal): Promise<T[]>
  /** The owner's entry, undefined when there is none; rejects when the owner cannot be asked. */
  fetchOne(id: string, signal: AbortSignal): Promise<T | undefined>
  pageSize: number
  idOf(entry: T): string
  /** Adds entries, guarded so that what is newer stays. */
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
  /** The replica at work, and until when it is believed to live. */
  holder?: string
  until?: Date
  /** Everything up to this id is done. */
  after: string
  checked: number
  added: number
  put_right: number
  removed: number
  /** Why it does not go on at the moment. */
  problem?: string
}

export interface ProjectionState {
  _id: string
  filled_at: Date
  rebuild?: Rebuild
}

const statesOf = (connection: Connection) => connection.collection<ProjectionState>('projection_states')

const lookMs = 1_000
const leaseMs = 10_000
const retryMs = 2_000
const askAtOnce = 16

/** The projections a service keeps, by name. */
export async function projectionsOf(connection: Connection): Promise<ProjectionState[]> {
  return statesOf(connection).find().sort({ _id: 1 }).toArray()
}

/** Asks whichever replica comes first to rebuild the projection; false when a rebuild is under way already. */
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
 * Rebuilds a projection from its owner while the service runs, when it is asked to in `projection_states`. It goes through the owner's
 * list and what is kept side by side and changes in place what differs, so that nobody meets a gap. What differs is asked for
 * again, one by one, after it was seen: the owner cannot then be behind an event that had already come here, so its answer holds even
 * where what is kept calls itself newer. What an event changes in between is left as the event made it.
 *
 * Of all replicas one does it, under a lease; it notes how far it is after every page, and another goes on from there.
 */
export function createRebuilder<T, K extends ProjectedEntry>(source: RebuildSource<T, K>) {
  const { connection, name, fetchPage, fetchOne, pageSize, idOf, apply, storage, log } = source
  const self = randomUUID()
  let life: Promise<void> | undefined

  async function take(): Promise<Rebuild | undefined> {
    const now = new Date()
    const state = await statesOf(connection).findOneAndUpdate(
      {
        _id: name,
        'rebuild.state': { $in: ['requested', 'running'] },
        'rebuild.until': { $not: { $gt: now } },
      },
      {
        $set: { 'rebuild.state': 'running', 'rebuild.holder': self, 'rebuild.until': leaseFrom(now) },
        $min: { 'rebuild.started_at': now },
      },
      { returnDocument: 'after' },
    )
    return state?.rebuild
  }

  /** Throws when it is not ours any more. */
  async function note(rebuild: Rebuild, change: Partial<Rebuild>): Promise<void> {
    const set = { until: leaseFrom(new Date()), ...change }
    const { matchedCount } = await statesOf(connection).updateOne(
      { _id: name, 'rebuild.id': rebuild.id, 'rebuild.holder': self },
      { $set: Object.fromEntries(Object.entries(set).map(([key, value]) => [`rebuild.${key}`, value])) },
    )
    if (matchedCount === 0) throw new Error('another replica goes on with it')
  }

  async function run(begun: Rebuild, signal: AbortSignal): Promise<void> {
    log.info({ projection: name, after: begun.after }, 'rebuilding a projection')
    const done = { ...begun }
    for (;;) {
      const entries = await fetchPage({ after: done.after, limit: pageSize }, signal)
      const upTo = entries.length < pageSize ? undefined : idOf(entries.at(-1)!)
      await bring(entries, upTo, done, signal)
      done.checked += entries.length
      if (upTo === undefined) break
      done.after = upTo
      const { after, checked, added, put_right, removed } = done
      await note(begun, { after, checked, added, put_right, removed, problem: '' })
    }
    // Covers changes of a replica that died before it bumped their versions.
    await bumpVersionsOnCommit(connection, storage.versionsOf([]))
    const { checked, added, put_right, removed } = done
    await note(begun, { state: 'done', finished_at: new Date(), checked, added, put_right, removed, problem: '' })
    log.info({ projection: name, checked, added, put_right, removed }, 'projection rebuilt')
  }

  /** Brings what is kept after `done.after` up to `upTo` in line with the owner's entries of that range. */
  async function bring(entries: readonly T[], upTo: string | undefined, done: Rebuild, signal: AbortSignal) {
    const missing = new Map(entries.map(entry => [idOf(entry), entry]))
    for (let after = done.after; ; ) {
      const kept = await storage.kept(after, upTo, pageSize)
      const doubtful = kept.filter(each => {
        const entry = missing.get(each.id)
        missing.delete(each.id)
        return entry ? !storage.agrees(each, entry) : !each.gone
      })
      await putRight(doubtful, done, signal)
      if (kept.length < pageSize) break
      after = kept.at(-1)!.id
    }
    const added = [...missing.values()]
    if (added.length === 0) return
    await apply(added)
    done.added += added.length
    await changed([...missing.keys()])
  }

  async function putRight(doubtful: readonly K[], done: Rebuild, signal: AbortSignal) {
    for (let at = 0; at < doubtful.length; at += askAtOnce) {
      const some = doubtful.slice(at, at + askAtOnce)
      await Promise.all(
        some.map(async seen => {
          const latest = await fetchOne(seen.id, signal)
          if (latest && storage.agrees(seen, latest)) return
          if (!latest && seen.gone) return
          if (!latest) {
            await storage.remove(seen)
            done.removed += 1
          } else {
            await storage.replace(latest, seen)
            done.put_right += 1
          }
        }),
      )
      await changed(some.map(each => each.id))
      await note(done, {})
    }
  }

  async function changed(ids: readonly string[]) {
    await storage.afterwards?.(ids)
    await bumpVersionsOnCommit(connection, storage.versionsOf(ids))
  }

  async function lookOnce(signal: AbortSignal): Promise<void> {
    const rebuild = await take()
    if (!rebuild) return
    try {
      await run(rebuild, signal)
    } catch (error) {
      const stopped = signal.aborted
      log[stopped ? 'info' : 'warn']({ err: error, projection: name }, 'the rebuilding of a projection goes on later')
      const problem = stopped ? 'the replica that did it was stopped' : (error as Error).message
      await note(rebuild, { until: new Date(Date.now() + (stopped ? 0 : retryMs)), problem }).catch(() => {})
    }
  }

  return {
    /** Looks out for requests until the signal. */
    start(signal: AbortSignal): void {
      const failed = (error: unknown) => log.warn({ err: error, projection: name }, 'no look for rebuilds')
      life = repeat(() => lookOnce(signal), { pauseMs: lookMs, spread: true, failed }, signal)
    },
    /** Resolves when the work under way has come to its end; call it after the signal. */
    stopped: async () => life,
  }
}

const leaseFrom = (now: Date) => new Date(now.getTime() + leaseMs)
