import type { Subscribable } from '../../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { VideoPoster } from '../../../ui/progress/video-poster.tsx'
import { PlayIcon } from '../controls/player-icons.tsx'
import type { Playback } from '../machine/playback-types.ts'
import classes from '../player.module.css'
import type { SessionView } from './session-runner.ts'

const beforeStart = new Set(['starting', 'blocked', 'paused'])

interface StartPosterProps {
  view: SessionView
  clock: Subscribable<Playback>
}

/**
 * The picture of a video that has not begun. Render it under YouTube's player, which must not be
 * covered, and over an own file, which is black until it is loaded.
 */
export function StartPoster({ view, clock }: StartPosterProps) {
  const isAtStart = useSubscribable(clock, ({ position }) => position === 0)
  if (!isAtStart || !beforeStart.has(view.phase)) return null
  return (
    <div className={classes.startPoster}>
      <VideoPoster video={view.playlist.videos[view.index]} size="large" picturesOnly />
    </div>
  )
}

/**
 * The sign on a video that waits for a press. The picture below takes the press, and the control
 * bar has the button for screen readers and keys.
 */
export function PlaySign() {
  return (
    <div className={classes.playSign} aria-hidden="true">
      <PlayIcon />
    </div>
  )
}
