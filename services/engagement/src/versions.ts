// Keys of the versions that this service raises for its polled reads.

/** The comments on one video of a playlist. */
export const commentsOf = ({ playlistId, videoId }: { playlistId: string; videoId: string }) =>
  `comments:${playlistId}:${videoId}`

/** What is known here of a playlist, and of who has it: whether one may see its comments. */
export const playlistVersion = (playlistId: string) => `playlist:engagement:${playlistId}`
