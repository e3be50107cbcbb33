// Keys of the change versions behind the ETags of this service's polled reads.

/** Changes with the comments on one video of a playlist. */
export const commentsVersion = ({ playlistId, videoId }: { playlistId: string; videoId: string }) =>
  `comments:${playlistId}:${videoId}`

/** Changes with a playlist and its assignments, which decide who may see its comments. */
export const playlistVersion = (playlistId: string) => `playlist:engagement:${playlistId}`
