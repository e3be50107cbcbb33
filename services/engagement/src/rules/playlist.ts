/** What is known here of a playlist. */
export interface Playlist {
  id: string
  title: string
  createdBy: string
  sharedWith: string[]
  videos: PlaylistVideo[]
}

export interface PlaylistVideo {
  id: string
  title: string
  /** Seconds. */
  duration: number
  /** It cannot play: nobody has to watch it, and nobody has. */
  unavailable: boolean
}

export function videoOf(playlist: Playlist, videoId: string): PlaylistVideo | undefined {
  return playlist.videos.find(video => video.id === videoId)
}

export function playable(playlist: Playlist): PlaylistVideo[] {
  return playlist.videos.filter(video => !video.unavailable)
}
