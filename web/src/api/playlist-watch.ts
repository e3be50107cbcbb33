import { getWatched, type PlaylistWatch, type VideoWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromOperation, gateway } from './gateway.ts'

export const playlistWatchApi = gateway.injectEndpoints({
  endpoints: build => ({
    getWatched: build.query({ ...fromOperation(getWatched), providesTags: ['Engagement'] }),
  }),
})

export const { useGetWatchedQuery } = playlistWatchApi

/** A playlist's figures with those of an answered report, which has the reported video alone. */
export function withReportedVideo(watch: PlaylistWatch, { videos, ...figures }: PlaylistWatch): PlaylistWatch {
  const reported = new Map(videos.map(video => [video.video_id, video]))
  return {
    ...watch,
    ...figures,
    // An answer without the field ends it.
    new_since_completion: figures.new_since_completion,
    videos: watch.videos.map(video => reported.get(video.video_id) ?? video),
  }
}

/** Whether the task needs no more watching, also of videos that came after its completion. */
export function isFullyWatched({ completed, new_since_completion }: PlaylistWatch): boolean {
  return completed && !new_since_completion
}

/**
 * Whether more of the video must be watched. Without a percentage of the task, as far as videos
 * need.
 */
export function needsWatching(
  { completed, completion_rate }: Pick<VideoWatch, 'completed' | 'completion_rate'>,
  requiredPercent: number = limits.completedRate,
): boolean {
  if (requiredPercent > limits.completedRate) return completion_rate < requiredPercent
  return !completed && completion_rate < requiredPercent
}

/** The videos that keep the playlist from being completed. */
export function incompleteVideos(watch: PlaylistWatch): VideoWatch[] {
  return watch.videos.filter(
    video => !video.unavailable && !video.removed && needsWatching(video, watch.required_percent),
  )
}

interface Gap {
  videoId: string
  videoTitle: string
  /** From the start of the video. */
  seconds: number
}

/** The first gap that keeps the playlist from being completed. */
export function findFirstGap(watch: PlaylistWatch): Gap | undefined {
  const video = incompleteVideos(watch).find(({ missing }) => missing.length > 0)
  return video && { videoId: video.video_id, videoTitle: video.title, seconds: video.missing[0]![0] }
}
