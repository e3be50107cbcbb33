import { newId } from '@watchline/kit/mongo/database'
import type mongoose from 'mongoose'
import { type VideoWatch, videoKey } from '../../../services/engagement/src/rules/watch-state.ts'
import { insertDocuments } from '../shared/documents.ts'

const videosPerPlaylist = 10
const videoLengthS = 600
const dayMs = 86_400_000

/**
 * Adds videos of earlier playlists, which these people have completed, to what they watched. Each
 * person has sent a first report before.
 */
export async function addWatchedVideos(
  databaseOf: (service: 'engagement' | 'playback-session') => mongoose.mongo.Db,
  personIds: readonly string[],
  count: number,
): Promise<void> {
  if (count === 0) return
  const now = Date.now()
  const playlistIds = Array.from({ length: Math.ceil(count / videosPerPlaylist) }, () => newId())
  const videos = Array.from({ length: count }, (_, index): [string, VideoWatch] => [
    videoKey(playlistIds[Math.floor(index / videosPerPlaylist)]!, `v${index % videosPerPlaylist}`),
    makeWatch(now - (index + 1) * dayMs),
  ])
  await databaseOf('engagement')
    .collection('watchers')
    .updateMany({ _id: { $in: personIds as never[] } }, {
      $set: Object.fromEntries(videos.map(([key, watch]) => [`videos.${key}`, watch])),
      $addToSet: { completedPlaylists: { $each: playlistIds } },
      $inc: { version: 1 },
    } as never)
  const positions = Object.fromEntries(
    Array.from({ length: videosPerPlaylist }, (_, index) => [`v${index}`, videoLengthS]),
  )
  const makeProgress = (personId: string, playlistId: string) => ({
    _id: `${personId}:${playlistId}`,
    ...{ person_id: personId, playlist_id: playlistId },
    ...{ fence: 1, video_id: `v${videosPerPlaylist - 1}`, video_index: videosPerPlaylist - 1 },
    ...{ position: videoLengthS, saved_at: new Date(now - dayMs), positions, finished: true },
  })
  await insertDocuments(
    databaseOf('playback-session'),
    'progress',
    personIds.flatMap(personId => playlistIds.map(playlistId => makeProgress(personId, playlistId))),
  )
}

/** Watched to the end in one day, with one gap and one note. */
function makeWatch(completedAt: number): VideoWatch {
  return {
    intervals: [
      [0, 300],
      [305, videoLengthS],
    ],
    watchTime: videoLengthS - 5,
    duration: videoLengthS,
    notes: { skipped: { times: 1, seconds: 5 } },
    completedAt,
    lastReportAt: completedAt,
    reached: videoLengthS,
    creditHistory: [[completedAt, videoLengthS - 5]],
  }
}
