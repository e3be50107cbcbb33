import { StripTrack } from '../../ui/progress/watch-strip.tsx'
import { useCredit, usePlayed } from './credit-context.tsx'
import { videoFigures } from './credit-figures.ts'

interface SeekStripProps {
  videoId: string
  /** Seconds. */
  duration: number
  /** The positions of the video that have comments, in seconds. */
  ticks: readonly number[]
}

/** The watch strip inside the seek bar. `CreditedRangesCard` has its text alternative. */
export function SeekStrip({ videoId, duration, ticks }: SeekStripProps) {
  const { playlistWatch } = useCredit()
  const played = usePlayed()
  const watch = playlistWatch?.videos.find(({ video_id }) => video_id === videoId)
  const provisional = played.filter(part => part.videoId === videoId)
  const figures = watch && videoFigures(watch, played)
  return (
    <StripTrack
      length={duration}
      ranges={figures?.ranges ?? []}
      provisional={figures?.provisional ?? provisional}
      ticks={ticks}
    />
  )
}
