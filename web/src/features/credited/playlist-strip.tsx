import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { WatchStrip } from '../../ui/watch-strip.tsx'
import { type PlayedRange, playlistFigures } from './credit-figures.ts'
import { overallInWords } from './watch-words.ts'

/** The whole playlist as one watch strip. `played`: not confirmed yet. */
export function PlaylistStrip({ watch, played }: { watch: PlaylistWatch; played?: readonly PlayedRange[] }) {
  const { length, ranges, provisional, percent, provisionalS } = playlistFigures(watch, played)
  return (
    <WatchStrip
      length={length}
      ranges={ranges}
      provisional={provisionalS > 0 ? provisional : undefined}
      percent={percent}
      words={`Whole playlist: ${percent}% watched${provisionalS > 0 ? ', part of it being confirmed' : ''}; ${overallInWords(watch)}`}
    />
  )
}
