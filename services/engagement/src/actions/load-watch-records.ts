import { createHash } from 'node:crypto'
import type { EngagementRecord } from '@watchline/contracts/engagement'
import type { EngagementContext } from '../context.ts'
import { findPastVideo, type Playlist } from '../rules/playlist.ts'
import { summarise } from '../rules/summary.ts'
import { readVideoKey, type VideoWatch, type Watches } from '../rules/watch-state.ts'

interface WatchRow {
  personId: string
  key: string
  watch: VideoWatch
}

/**
 * One record for each person and reported video, since its last reset. Each person's latest record
 * comes first.
 */
export async function loadWatchRecords(
  { projections }: Pick<EngagementContext, 'projections'>,
  people: readonly { personId: string; watches: Watches }[],
): Promise<EngagementRecord[]> {
  const rows = people.flatMap(({ personId, watches }) =>
    Object.entries(watches)
      .filter(([key]) => readVideoKey(key).endedAt === null)
      .sort(([, left], [, right]) => right.lastReportAt - left.lastReportAt)
      .map(([key, watch]): WatchRow => ({ personId, key, watch })),
  )
  const playlists = await projections.loadKnown(rows.map(({ key }) => readVideoKey(key).playlistId))
  return rows.map(row => presentRecord(row, playlists))
}

/** By time, latest first, then by id, so that pages neither repeat nor skip a record. */
export function compareLatestFirst(
  left: Pick<EngagementRecord, 'last_updated' | 'id'>,
  right: Pick<EngagementRecord, 'last_updated' | 'id'>,
): number {
  if (left.last_updated !== right.last_updated) return left.last_updated < right.last_updated ? 1 : -1
  return left.id < right.id ? 1 : left.id > right.id ? -1 : 0
}

/** For an unknown video the duration is the one at the time of the last report. */
function presentRecord({ personId, key, watch }: WatchRow, playlists: ReadonlyMap<string, Playlist>): EngagementRecord {
  const { playlistId, videoId } = readVideoKey(key)
  const playlist = playlists.get(playlistId)
  const video = playlist && findPastVideo(playlist, videoId)
  const summary = summarise(watch, video?.duration ?? watch.duration)
  return {
    id: createHash('sha256').update(`${personId}:${key}`).digest('base64url'),
    user_id: personId,
    playlist_id: playlistId,
    video_id: videoId,
    completion_rate: summary.completionRate,
    watch_time: summary.watchTime,
    last_updated: new Date(watch.lastReportAt).toISOString(),
  }
}
