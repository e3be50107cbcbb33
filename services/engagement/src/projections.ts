import { isDeepStrictEqual } from 'node:util'
import {
  getAssignmentSnapshot,
  getPlaylistSnapshot,
  listAssignmentSnapshots,
  listLockIntervals,
  listPlaylistSnapshots,
} from '@watchline/contracts/internal-operations'
import type { AssignmentSnapshot, LockIntervalSnapshot, PlaylistSnapshot } from '@watchline/contracts/snapshots'
import type { Clock } from '@watchline/kit/core/clock'
import { ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { InternalClient } from '@watchline/kit/http/internal-client'
import { createProjectionFill } from '@watchline/kit/messaging/projection'
import { createDocumentCache, type DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { Connection } from 'mongoose'
import type { Playlist } from './rules/playlist.ts'
import type { Hold } from './rules/watch-state.ts'
import {
  type Assignment,
  type AssignmentStore,
  assignmentKey,
  createAssignmentStore,
  type KeptAssignment,
} from './store/assignments.ts'
import { createPlaylistStore, type KeptPlaylist, type PlaylistStore, saysTheSame } from './store/playlists.ts'
import { playlistVersion } from './versions.ts'

/** What this service knows of the playback-session service's data: kept here, in memory where it is hot, and asked for when missing. */
export interface Projections extends Lifecycle {
  playlists: PlaylistStore & { cached: DocumentCache<Playlist> }
  assignments: AssignmentStore
  /** The playlist, deleted or not, asked for once when it is not known. */
  playlist(id: string): Promise<Playlist | undefined>
  /** The playlist as its owner has it now: for what is not as it is known here. */
  reread(known: Playlist): Promise<Playlist>
  /** Takes snapshots as of `at` (ms), each unless it is known as new or newer. */
  take(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void>
  /** Whether the person has the playlist; asked for once before saying no. */
  isAssigned(personId: string, playlistId: string): Promise<boolean>
  /** Whether the person has the playlist, or had it at some time after `since` (ms). */
  hadSince(personId: string, playlistId: string, since: number): Promise<boolean>
  /** Those of the playlists that are known, deleted ones too. */
  known(playlistIds: readonly string[]): Promise<Map<string, Playlist>>
  /** What is to be done after a rebuild has changed a playlist. */
  onRebuilt(settle: (playlistId: string) => Promise<void>): void
  /** Who held the person's lock lately, as its owner knows it now; throws 503 `unavailable`. */
  holds(personId: string): Promise<Hold[]>
}

export function createProjections({
  connection,
  playback,
  clock,
  log,
}: {
  connection: Connection
  playback: InternalClient
  clock: Clock
  log: Logger
}): Projections {
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
  const playlistFill = createProjectionFill<PlaylistSnapshot, KeptPlaylist>({
    connection,
    log,
    name: 'playlists',
    fetchPage: (query, signal) => playback.call(listPlaylistSnapshots, { query }, signal),
    fetchOne: (id, signal) => playback.find(getPlaylistSnapshot, { params: { id } }, signal),
    idOf: each => each.playlist_id,
    apply: snapshots => take(snapshots, clock.now()),
    storage: {
      kept: playlists.kept,
      agrees: saysTheSame,
      replace: async (snapshot, seen) => {
        await playlists.replace(snapshot, seen, clock.now())
        cachedPlaylists.forget(seen.id)
      },
      // What was watched of it keeps its name.
      remove: async seen => {
        await playlists.drop(seen, new Date(clock.now()))
        cachedPlaylists.forget(seen.id)
      },
      versionsOf: ids => ids.map(playlistVersion),
      afterwards: async ids => {
        for (const id of ids) await settleChanged?.(id)
      },
    },
  })
  const assignmentFill = createProjectionFill<AssignmentSnapshot, KeptAssignment>({
    connection,
    log,
    name: 'assignments',
    fetchPage: (query, signal) => playback.call(listAssignmentSnapshots, { query }, signal),
    fetchOne: (key, signal) => playback.find(getAssignmentSnapshot, { params: idsOfAssignment(key) }, signal),
    idOf: each => assignmentKey(each.person_id, each.playlist_id),
    apply: async snapshots => {
      await assignments.put(snapshots.map(fromSnapshot))
      for (const each of snapshots) cachedAssignments.forget(assignmentKey(each.person_id, each.playlist_id))
    },
    storage: {
      kept: assignments.kept,
      agrees: ({ row }, snapshot) => isDeepStrictEqual(row, fromSnapshot(snapshot)),
      replace: async (snapshot, seen) => {
        await assignments.replace(fromSnapshot(snapshot), seen)
        cachedAssignments.forget(seen.id)
      },
      remove: async seen => {
        await assignments.drop(seen)
        cachedAssignments.forget(seen.id)
      },
      versionsOf: keys => keys.map(key => playlistVersion(idsOfAssignment(key).playlistId)),
    },
  })
  let settleChanged: ((playlistId: string) => Promise<void>) | undefined

  async function take(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void> {
    await playlists.put(snapshots, at)
    for (const each of snapshots) cachedPlaylists.forget(each.playlist_id)
  }

  async function ask(id: string): Promise<Playlist | undefined> {
    const snapshot = await playlistFill.readThrough(id)
    return snapshot && (await playlists.byIds([id])).get(id)
  }

  async function isAssigned(personId: string, playlistId: string): Promise<boolean> {
    const key = assignmentKey(personId, playlistId)
    const known = await cachedAssignments.get(key)
    if (known?.assigned) return true
    return (await assignmentFill.readThrough(key)) !== undefined
  }

  return {
    playlists: { ...playlists, cached: cachedPlaylists },
    assignments,
    playlist: async id => (await cachedPlaylists.get(id)) ?? (await ask(id)),
    reread: async known => (known.deletedAt === null ? ((await ask(known.id)) ?? known) : known),
    take,
    isAssigned,
    hadSince: async (personId, playlistId, since) => {
      const known = await cachedAssignments.get(assignmentKey(personId, playlistId))
      if (known && !known.assigned && known.at.getTime() >= since) return true
      return isAssigned(personId, playlistId)
    },
    known: async playlistIds => {
      const ids = [...new Set(playlistIds)]
      const found = await Promise.all(ids.map(id => cachedPlaylists.get(id)))
      return new Map(found.flatMap(each => (each ? [[each.id, each] as const] : [])))
    },
    holds: async personId => {
      try {
        return (await playback.call(listLockIntervals, { params: { personId } })).map(holdFromSnapshot)
      } catch (error) {
        throw new ServiceError('unavailable', { retryAfterS: 2, cause: error })
      }
    },
    onRebuilt: settle => {
      settleChanged = settle
    },
    start: async signal => {
      cachedPlaylists.start()
      cachedAssignments.start()
      await playlistFill.fill(signal)
      await assignmentFill.fill(signal)
    },
    stop: async () => {
      await playlistFill.stopped()
      await assignmentFill.stopped()
      await cachedPlaylists.stop()
      await cachedAssignments.stop()
    },
  }
}

/** The parts of an {@link assignmentKey}. */
function idsOfAssignment(key: string): { personId: string; playlistId: string } {
  const [personId = '', playlistId = ''] = key.split(':')
  return { personId, playlistId }
}

function fromSnapshot({ person_id, playlist_id, assigned_date }: AssignmentSnapshot): Assignment {
  return { personId: person_id, playlistId: playlist_id, assigned: true, at: new Date(assigned_date) }
}

/** What nobody has ended earns nothing yet: its end is told by `monitoring.stopped`. */
function holdFromSnapshot({ fence, sid, from, to }: LockIntervalSnapshot): Hold {
  return { fence, sid, from: Date.parse(from), to: Date.parse(to ?? from) }
}
