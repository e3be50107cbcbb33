/**
 * Opens the monitored session of a playlist: where the person stopped, from its beginning, or with
 * a chosen video.
 */
export type StartTask = (playlistId: string, begin?: 'start-over' | { videoId: string }) => void
