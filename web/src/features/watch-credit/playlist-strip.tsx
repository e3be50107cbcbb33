import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { WatchStrip } from '../../ui/progress/watch-strip.tsx'
import { type PlayedRange, playlistFigures } from './credit-figures.ts'
import { describeCompletedVideos } from './describe-playlist-watch.ts'

interface PlaylistStripProps {
  watch: PlaylistWatch
  /** Not confirmed yet. */
  played?: readonly PlayedRange[]
  /** The playhead, in seconds into a video. */
  position?: { videoId: string; seconds: number } | undefined
}

/** The whole playlist as one watch strip. */
export function PlaylistStrip({ watch, played, position }: PlaylistStripProps) {
  const { length, ranges, provisional, percent, provisionalS } = playlistFigures(watch, played)
  return (
    <WatchStrip
      length={length}
      ranges={ranges}
      provisional={provisionalS > 0 ? provisional : undefined}
      percent={percent}
      playhead={position && secondsInPlaylist(watch, position)}
      words={`Whole playlist: ${percent}% watched${provisionalS > 0 ? ', part of it being confirmed' : ''}; ${describeCompletedVideos(watch)}`}
    />
  )
}

/** The position on the axis of all playable videos; undefined for a video that is left out. */
function secondsInPlaylist({ videos }: PlaylistWatch, { videoId, seconds }: { videoId: string; seconds: number }) {
  const playable = videos.filter(({ unavailable }) => !unavailable)
  const index = playable.findIndex(({ video_id }) => video_id === videoId)
  if (index < 0) return undefined
  return playable.slice(0, index).reduce((sum, { duration }) => sum + duration, seconds)
}
