import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'

export function makeVideoWatch(changes: Partial<VideoWatch> = {}): VideoWatch {
  return {
    video_id: 'v0',
    title: 'Fire safety',
    duration: 250,
    unavailable: false,
    completion_rate: 78,
    completed: false,
    completed_at: null,
    watch_time: 195,
    watched: [
      [0, 130],
      [185, 250],
    ],
    missing: [[130, 185]],
    notes: [],
    last_updated: '2026-11-03T08:00:00.000Z',
    ...changes,
  }
}

export function makePlaylistWatch(
  videos: VideoWatch[] = [makeVideoWatch()],
  changes: Partial<PlaylistWatch> = {},
): PlaylistWatch {
  return {
    playlist_id: 'p1',
    title: 'Safety',
    completion_rate: 78,
    completed: false,
    completed_videos: videos.filter(({ completed }) => completed).length,
    total_videos: videos.filter(({ unavailable }) => !unavailable).length,
    watch_time: 195,
    videos,
    ...changes,
  }
}
