import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'

/** What is known here of a playlist. */
export interface Playlist {
  id: string
  title: string
  createdBy: string
  sharedWith: string[]
  /** Of two states the higher is the later; 0 when only its deletion is known. */
  revision: number
  videos: PlaylistVideo[]
  /** What it held once and holds no more, the latest last. */
  removed: PlaylistVideo[]
  /** ms; null while it is there. */
  deletedAt: number | null
}

export interface PlaylistVideo {
  id: string
  title: string
  /** Seconds. */
  duration: number
  /** It cannot play: nobody has to watch it, and nobody has. */
  unavailable: boolean
  /** When it was removed or turned out not to play any more, ms; null for what can be watched, or never could. */
  lostAt: number | null
}

type Videos = Pick<Playlist, 'videos' | 'removed'>

/** Removed videos are remembered for their titles and lengths, up to as many. */
const removedKept = 1_000

/** The videos of a playlist by its later snapshot, and what it has lost by it. */
export function takeVideos(before: Videos | undefined, snapshot: PlaylistSnapshot['videos'], at: number): Videos {
  const known = new Map([...(before?.removed ?? []), ...(before?.videos ?? [])].map(video => [video.id, video]))
  const videos = snapshot.map(video => {
    const old = known.get(video.id)
    return { ...video, lostAt: video.unavailable && old ? (old.lostAt ?? (old.unavailable ? null : at)) : null }
  })
  const held = new Set(videos.map(video => video.id))
  const removed = [...known.values()].filter(video => !held.has(video.id))
  return { videos, removed: removed.map(video => ({ ...video, lostAt: video.lostAt ?? at })).slice(-removedKept) }
}

/** Whether there is less to watch than before: then it may be complete for people who watch nothing more of it. */
export function hasShrunk(before: Pick<Playlist, 'videos'>, after: Pick<Playlist, 'videos'>): boolean {
  const now = new Map(playable(after).map(video => [video.id, video.duration]))
  return playable(before).some(video => (now.get(video.id) ?? 0) < video.duration)
}

export function videoOf(playlist: Playlist, videoId: string): PlaylistVideo | undefined {
  return playlist.videos.find(video => video.id === videoId)
}

/** Also one that was removed. */
export function onceVideoOf(playlist: Playlist, videoId: string): PlaylistVideo | undefined {
  return videoOf(playlist, videoId) ?? playlist.removed.find(video => video.id === videoId)
}

export function playable(playlist: Pick<Playlist, 'videos'>): PlaylistVideo[] {
  return playlist.videos.filter(video => !video.unavailable)
}
