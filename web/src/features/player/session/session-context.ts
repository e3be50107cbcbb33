import type { Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { Playback } from '../machine/playback-types.ts'
import type { SessionPlaylist } from '../session-playlist.ts'
import type { PlayedPart } from './played-parts.ts'
import type { AnsweredReport } from './use-session.ts'

/** The player as the regions beside it see it. */
export interface SessionContext {
  playlist: SessionPlaylist
  videoId: string
  videoIndex: number
  /** The video has ended: the next one is counted down, or the playlist is over. */
  videoEnded: boolean
  /** The end of the playlist is reached. It does not mean that all of it is credited. */
  playlistEnded: boolean
  /** An attention check waits for the person. */
  hasAttentionCheck: boolean
  clock: Subscribable<Playback>
  /** The whole second that the control bar shows: in every frame while the video plays. */
  shownSecond: Subscribable<number>
  /** The position at this moment, in seconds. */
  position: () => number
  seek: (seconds: number) => void
  pause: () => void
  /** Plays a video from this second, also after the end of the playlist. */
  goTo: (videoId: string, seconds: number) => void
  /** Ends the playlist here. */
  finish: () => void
  /** The latest report of playback that the server answered. */
  latestAnswer: Subscribable<AnsweredReport | undefined>
  /** The time of the latest report of this session, answered or not, in ms; 0 before the first. */
  reportedAt: Subscribable<number>
  /** All that this session has played, without what was jumped over. */
  played: Subscribable<readonly PlayedPart[]>
}
