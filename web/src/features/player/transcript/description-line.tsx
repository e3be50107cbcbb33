import type { Cue } from '../adapters/captions.ts'
import { useLatestCue } from '../controls/use-latest-cue.ts'
import type { PositionSource } from '../controls/use-position.ts'
import classes from '../player.module.css'

interface DescriptionLineProps {
  descriptions: readonly Cue[]
  source: PositionSource
  /** Also for the eye; screen readers always get it. */
  isShown: boolean
}

/** The audio description of the moment, under the picture, as text that screen readers speak. */
export function DescriptionLine({ descriptions, source, isShown }: DescriptionLineProps) {
  const { index, isOver } = useLatestCue(source, descriptions)
  return (
    <div aria-live="polite" className={isShown ? classes.statusLine : 'wl-hidden'} dir="auto">
      {isOver ? '' : descriptions[index]?.text}
    </div>
  )
}
