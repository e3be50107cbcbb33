import { limits } from '@watchline/contracts/limits'
import { isPlaylistComplete } from '../rules/overview.ts'
import { readVideoKey } from '../rules/watch-state.ts'
import { hasNoEvents, type WatcherUpdate } from '../rules/watcher-update.ts'
import type { Projections } from '../store/projections.ts'

/** A playlist that may be complete without new credit. */
export interface Recheck {
  playlistId: string
  /** The required percentage of this playlist, if the projection does not have it yet. */
  requiredPercent?: number | undefined
}

/**
 * The ids of the playlists that are complete with this update and were not before. A task whose
 * required percentage differs from that of a video may be complete without a newly completed video.
 */
export async function findFinishedPlaylists(
  projections: Pick<Projections, 'loadKnown' | 'findRequiredPercent'>,
  { before: { personId }, completedPlaylists, state, completed, touched }: WatcherUpdate,
  recheck?: Recheck,
): Promise<string[]> {
  const completedIds = completed.map(key => readVideoKey(key).playlistId)
  const newlyCompletedIds = new Set([...completedIds, ...(recheck ? [recheck.playlistId] : [])])
  const touchedIds = [...touched].map(readVideoKey).flatMap(key => (key.endedAt === null ? [key.playlistId] : []))
  const ids = new Set([...newlyCompletedIds, ...touchedIds])
  const finished = await Promise.all(
    [...ids].map(async id => {
      if (completedPlaylists.includes(id)) return []
      const percent = await findDecidingPercent(projections, personId, id, recheck)
      if (percent === limits.completedRate && !newlyCompletedIds.has(id)) return []
      const playlist = (await projections.loadKnown([id])).get(id)
      return playlist && isPlaylistComplete(playlist, state.videos, percent) ? [id] : []
    }),
  )
  return finished.flat()
}

/** The required percentage of a task. That of a recheck decides about its own playlist only. */
export async function findDecidingPercent(
  projections: Pick<Projections, 'findRequiredPercent'>,
  personId: string,
  playlistId: string,
  recheck?: Recheck,
): Promise<number> {
  const percent = recheck?.playlistId === playlistId ? recheck.requiredPercent : undefined
  return percent ?? projections.findRequiredPercent(personId, playlistId)
}

/** Whether an update publishes events, and so needs `publishCompletion` in a transaction. */
export async function hasEvents(
  projections: Pick<Projections, 'loadKnown' | 'findRequiredPercent'>,
  update: WatcherUpdate,
): Promise<boolean> {
  return !hasNoEvents(update) || (await findFinishedPlaylists(projections, update)).length > 0
}
