import { isDeepStrictEqual } from 'node:util'
import { type Conditions, conditionsOf, defaultConditions } from '@watchline/contracts/conditions'
import {
  getAssignmentSnapshot,
  getPlaylistSnapshot,
  listAssignmentSnapshots,
  listLockIntervals,
  listPlaylistSnapshots,
} from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import type { AssignmentSnapshot, LockIntervalSnapshot, PlaylistSnapshot } from '@watchline/contracts/snapshots'
import type { Clock } from '@watchline/kit/core/clock'
import { fail, ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { InternalClient } from '@watchline/kit/http/internal-client'
import { createProjectionFill } from '@watchline/kit/messaging/projection'
import { createDocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { Connection } from 'mongoose'
import type { Playlist } from '../rules/playlist.ts'
import { playlistVersion } from '../rules/versions.ts'
import type { LockInterval } from '../rules/watch-state.ts'
import {
  type Assignment,
  type AssignmentStore,
  assignmentKey,
  createAssignmentStore,
  type ProjectedAssignment,
} from './assignments.ts'
import { createPlaylistStore, matchesSnapshot, type PlaylistStore, type ProjectedPlaylist } from './playlists.ts'

/**
 * The local copy of playback-session's data: stored here, in memory on the hot path, and
 * requested from the owner if missing.
 */
export interface Projections extends Lifecycle {
  playlists: PlaylistStore
  assignments: AssignmentStore
  /** Present or deleted. Asks the owner once about an unknown playlist. */
  findPlaylist(id: string): Promise<Playlist | undefined>
  /** The owner's current state of a playlist. */
  refetchPlaylist(playlist: Playlist): Promise<Playlist>
  /** Skips a snapshot if the same or a newer one is stored. `at` is in ms. */
  applySnapshots(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void>
  /** Asks the owner before it answers false. */
  isAssigned(personId: string, playlistId: string): Promise<boolean>
  /**
   * The required percentage of a task, from memory: a change of another transaction may be missing
   * for a moment. The default one without an assignment.
   */
  findRequiredPercent(personId: string, playlistId: string): Promise<number>
  /**
   * The conditions of a task, from memory; null for the default ones. For `limits.lateReportsMs`
   * after the end of the task they stay, for late reports. Then only the required percentage does.
   */
  findConditions(personId: string, playlistId: string): Promise<Conditions | null>
  /** Whether the person has the playlist, or had it at some time after `since` (ms). */
  wasAssignedSince(personId: string, playlistId: string, since: number): Promise<boolean>
  /** The stored playlists among these ids, deleted ones included. */
  loadKnown(playlistIds: readonly string[]): Promise<Map<string, Playlist>>
  /** Sets what happens after a rebuild has changed a playlist. */
  onRebuilt(listener: (playlistId: string) => Promise<void>): void
  /**
   * The person's recent lock intervals from their owner. Throws 503 `unavailable`, and
   * `notice_unanswered` for a person who has not agreed to be monitored.
   */
  fetchLockIntervals(personId: string): Promise<LockInterval[]>
}

export interface ProjectionsDeps {
  connection: Connection
  playback: InternalClient
  clock: Clock
  log: Logger
}

export function createProjections({ connection, playback, clock, log }: ProjectionsDeps): Projections {
  const playlists = createPlaylistStore(connection)
  const assignments = createAssignmentStore(connection)
  const cachedPlaylists = createDocumentCache<Playlist>({
    connection,
    log,
    collection: 'playlists',
    maxEntries: 5_000,
    load: playlists.byIds,
  })
  const cachedAssignments = createDocumentCache<Assignment>({
    connection,
    log,
    collection: 'assignments',
    maxEntries: 100_000,
    load: assignments.byKeys,
  })
  let notifyRebuilt: ((playlistId: string) => Promise<void>) | undefined

  const playlistFill = createProjectionFill<PlaylistSnapshot, ProjectedPlaylist>({
    connection,
    log,
    name: 'playlists',
    fetchPage: (query, signal) => playback.call(listPlaylistSnapshots, { query }, signal),
    fetchOne: (id, signal) => playback.find(getPlaylistSnapshot, { params: { id } }, signal),
    idOf: snapshot => snapshot.playlist_id,
    apply: snapshots => applySnapshots(snapshots, clock.now()),
    storage: {
      findRange: playlists.pageProjected,
      matches: matchesSnapshot,
      replace: async (snapshot, expected) => {
        await playlists.replace(snapshot, expected, clock.now())
        cachedPlaylists.evict(expected.id)
      },
      // A deleted playlist keeps its title and videos for the people who watched it.
      remove: async expected => {
        await playlists.markDeletedIfUnchanged(expected, new Date(clock.now()))
        cachedPlaylists.evict(expected.id)
      },
      versionsOf: ids => ids.map(playlistVersion),
      afterChange: async ids => {
        for (const id of ids) await notifyRebuilt?.(id)
      },
    },
  })
  const assignmentFill = createProjectionFill<AssignmentSnapshot, ProjectedAssignment>({
    connection,
    log,
    name: 'assignments',
    fetchPage: (query, signal) => playback.call(listAssignmentSnapshots, { query }, signal),
    fetchOne: (key, signal) => playback.find(getAssignmentSnapshot, { params: readAssignmentKey(key) }, signal),
    idOf: snapshot => assignmentKey(snapshot.person_id, snapshot.playlist_id),
    apply: async snapshots => {
      await assignments.put(snapshots.map(readSnapshot))
      for (const snapshot of snapshots) cachedAssignments.evict(assignmentKey(snapshot.person_id, snapshot.playlist_id))
    },
    storage: {
      findRange: assignments.pageProjected,
      matches: ({ row }, snapshot) => {
        // A time that only this service knows stays: earlier versions of the owner do not store it.
        const stored = row.dueSetAt && { dueSetAt: row.dueSetAt }
        return isDeepStrictEqual(row, { ...stored, ...readSnapshot(snapshot) })
      },
      replace: async (snapshot, expected) => {
        await assignments.replace(readSnapshot(snapshot), expected)
        cachedAssignments.evict(expected.id)
      },
      remove: async expected => {
        await assignments.unassignIfUnchanged(expected)
        cachedAssignments.evict(expected.id)
      },
      versionsOf: keys => keys.map(key => playlistVersion(readAssignmentKey(key).playlistId)),
    },
  })

  async function applySnapshots(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void> {
    await playlists.put(snapshots, at)
    for (const { playlist_id } of snapshots) cachedPlaylists.evict(playlist_id)
  }

  async function fetchPlaylist(id: string): Promise<Playlist | undefined> {
    const snapshot = await playlistFill.readThrough(id)
    return snapshot && (await playlists.byIds([id])).get(id)
  }

  async function isAssigned(personId: string, playlistId: string): Promise<boolean> {
    const key = assignmentKey(personId, playlistId)
    const assignment = await cachedAssignments.get(key)
    if (assignment?.assigned) return true
    return (await assignmentFill.readThrough(key)) !== undefined
  }

  async function findConditions(personId: string, playlistId: string): Promise<Conditions | null> {
    const assignment = await cachedAssignments.get(assignmentKey(personId, playlistId))
    const conditions = assignment?.conditions ?? null
    if (!conditions || wasAssignedSince(assignment, clock.now() - limits.lateReportsMs)) return conditions
    // Records measure the completion of an ended task by its percentage.
    return { ...defaultConditions, required_percent: conditions.required_percent }
  }

  return {
    playlists,
    assignments,
    findConditions,
    findRequiredPercent: async (personId, playlistId) =>
      conditionsOf(await findConditions(personId, playlistId)).required_percent,
    findPlaylist: async id => (await cachedPlaylists.get(id)) ?? (await fetchPlaylist(id)),
    refetchPlaylist: async playlist => {
      if (playlist.deletedAt !== null) return playlist
      return (await fetchPlaylist(playlist.id)) ?? playlist
    },
    applySnapshots,
    isAssigned,
    wasAssignedSince: async (personId, playlistId, since) => {
      const assignment = await cachedAssignments.get(assignmentKey(personId, playlistId))
      if (wasAssignedSince(assignment, since)) return true
      return isAssigned(personId, playlistId)
    },
    loadKnown: async playlistIds => {
      const ids = [...new Set(playlistIds)]
      const found = await Promise.all(ids.map(id => cachedPlaylists.get(id)))
      return new Map(found.flatMap(playlist => (playlist ? [[playlist.id, playlist] as const] : [])))
    },
    fetchLockIntervals: async personId => {
      const found = await playback.find(listLockIntervals, { params: { personId } }).catch(error => {
        throw new ServiceError('unavailable', { retryAfterS: 2, cause: error })
      })
      return (found ?? fail('notice_unanswered')).map(readLockInterval)
    },
    onRebuilt: listener => {
      notifyRebuilt = listener
    },
    start: async signal => {
      cachedPlaylists.start()
      cachedAssignments.start()
      await playlistFill.fill(signal)
      await assignmentFill.fill(signal)
    },
    stop: async () => {
      await playlistFill.waitUntilStopped()
      await assignmentFill.waitUntilStopped()
      await cachedPlaylists.stop()
      await cachedAssignments.stop()
    },
  }
}

/** An ended assignment has the time of its end. `since` is in ms. */
function wasAssignedSince(assignment: Assignment | undefined, since: number): boolean {
  return assignment !== undefined && (assignment.assigned || assignment.at.getTime() >= since)
}

/** The parts of an {@link assignmentKey}. */
function readAssignmentKey(key: string): { personId: string; playlistId: string } {
  const [personId = '', playlistId = ''] = key.split(':')
  return { personId, playlistId }
}

function readSnapshot({ person_id, playlist_id, assigned_date, due, override }: AssignmentSnapshot): Assignment {
  return {
    ...{ personId: person_id, playlistId: playlist_id, assigned: true, at: new Date(assigned_date) },
    dueAt: due?.at ? new Date(due.at) : null,
    graceUntil: due?.grace_until ? new Date(due.grace_until) : null,
    conditions: due?.conditions ?? null,
    dueChangedAt: new Date(due?.changed_at ?? assigned_date),
    ...(due?.set_at && { dueSetAt: new Date(due.set_at) }),
    override: override?.value ? { ...override.value, at: new Date(override.value.at) } : null,
    overrideChangedAt: new Date(override?.changed_at ?? assigned_date),
  }
}

/** An open interval earns nothing until `monitoring.stopped` reports its end. */
function readLockInterval({ fence, sid, from, to }: LockIntervalSnapshot): LockInterval {
  return { fence, sid, from: Date.parse(from), to: Date.parse(to ?? from) }
}
