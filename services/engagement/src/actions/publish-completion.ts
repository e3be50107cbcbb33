import { defaultConditions } from '@watchline/contracts/conditions'
import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { findPastVideo, type Playlist } from '../rules/playlist.ts'
import { readVideoKey } from '../rules/watch-state.ts'
import type { WatcherUpdate } from '../rules/watcher-update.ts'
import type { Projections } from '../store/projections.ts'
import type { TaskFactStore } from '../store/task-facts.ts'
import type { WatcherStore } from '../store/watchers.ts'
import { findDecidingPercent, findFinishedPlaylists, type Recheck } from './find-finished-playlists.ts'

export interface PublicationDeps {
  clock: Clock
  watchers: WatcherStore
  taskFacts: TaskFactStore
  /** Wakes the job that issues certificates. */
  wakeCertificateIssuing: () => void
  projections: Pick<Projections, 'loadKnown' | 'findRequiredPercent'>
}

/**
 * Writes the watchers and the history of tasks, and publishes `video.completed`,
 * `playlist.completed` and `integrity.noted`, in the caller's transaction.
 */
export async function publishCompletion(
  deps: PublicationDeps,
  tx: Transaction,
  updates: readonly WatcherUpdate[],
  playlists: ReadonlyMap<string, Playlist>,
  recheck?: Recheck,
): Promise<void> {
  const now = deps.clock.now()
  const writes = await Promise.all(
    updates.map(async update => ({
      update,
      finishedIds: await findFinishedPlaylists(deps.projections, update, recheck),
    })),
  )
  await deps.watchers.writeInTransaction(
    writes.map(({ update, finishedIds }) => ({
      ...update,
      ...(finishedIds.length > 0 && { completedPlaylists: [...update.completedPlaylists, ...finishedIds] }),
    })),
    tx.session,
  )
  for (const { update, finishedIds } of writes) {
    publishEvents(tx, update, finishedIds, playlists, now)
    for (const playlistId of finishedIds) {
      const { personId } = update.before
      const resetAt = update.state.resets?.[playlistId]
      const percent = await findDecidingPercent(deps.projections, personId, playlistId, recheck)
      await recordCompletion(deps, tx, { personId, playlistId, at: new Date(now), resetAt, percent })
    }
  }
}

/**
 * Adds the time that `playlist.completed` names to the history of the task, with the percentage
 * that was required, and requests the certificate. `resetAt` is in ms.
 */
export async function recordCompletion(
  { taskFacts, wakeCertificateIssuing }: Pick<PublicationDeps, 'taskFacts' | 'wakeCertificateIssuing'>,
  tx: Transaction,
  {
    personId,
    playlistId,
    at,
    resetAt,
    percent,
  }: { personId: string; playlistId: string; at: Date; resetAt?: number | undefined; percent: number },
): Promise<void> {
  tx.afterCommit(wakeCertificateIssuing)
  await taskFacts.add(
    {
      ...{ sourceId: `completed:${playlistId}:${at.getTime()}`, personIds: [personId] },
      ...{
        kind: 'completed',
        playlistId,
        at,
        by: null,
        resetAt: resetAt === undefined ? undefined : new Date(resetAt),
        certificateDueAt: at,
        ...(percent !== limits.completedRate && { conditions: { ...defaultConditions, required_percent: percent } }),
      },
    },
    tx.session,
  )
}

/** The known playlists that the events of these updates name. */
export function loadUpdatedPlaylists(
  projections: Pick<Projections, 'loadKnown'>,
  updates: readonly WatcherUpdate[],
): Promise<Map<string, Playlist>> {
  const keys = updates.flatMap(({ completed, touched, notesToPublish }) => [
    ...[...completed, ...touched],
    ...notesToPublish.map(({ key }) => key),
  ])
  return projections.loadKnown(keys.map(key => readVideoKey(key).playlistId))
}

function publishEvents(
  tx: Transaction,
  { before: { personId }, state, completed, notesToPublish }: WatcherUpdate,
  finishedIds: readonly string[],
  playlists: ReadonlyMap<string, Playlist>,
  now: number,
): void {
  for (const key of completed) {
    tx.publish('video.completed', personId, {
      person_id: personId,
      ...describeVideo(playlists, key),
      completed_at: new Date(state.videos[key]?.completedAt ?? now).toISOString(),
    })
  }
  for (const playlistId of finishedIds) {
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: new Date(now).toISOString(),
      playlist_title: playlists.get(playlistId)?.title,
      ...presentReset(state.resets?.[playlistId]),
    })
  }
  for (const { key, notes } of notesToPublish)
    tx.publish('integrity.noted', personId, { person_id: personId, ...describeVideo(playlists, key), notes })
}

export function presentReset(at: number | undefined) {
  return at === undefined ? {} : { reset_at: new Date(at).toISOString() }
}

function describeVideo(playlists: ReadonlyMap<string, Playlist>, key: string) {
  const { playlistId, videoId } = readVideoKey(key)
  const playlist = playlists.get(playlistId)
  return {
    playlist_id: playlistId,
    video_id: videoId,
    playlist_title: playlist?.title || undefined,
    video_title: playlist && findPastVideo(playlist, videoId)?.title,
  }
}
