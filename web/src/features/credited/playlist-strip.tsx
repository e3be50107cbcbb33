import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { WatchStrip } from '../../ui/watch-strip.tsx'
import { endToEnd, overallInWords, wholePercent } from './watch-words.ts'

/** The whole playlist as one watch strip. */
export function PlaylistStrip({ watch }: { watch: PlaylistWatch }) {
  const { length, ranges } = endToEnd(watch)
  const percent = wholePercent(watch.completion_rate)
  return (
    <WatchStrip
      length={length}
      ranges={ranges}
      percent={percent}
      words={`Whole playlist: ${percent}% watched; ${overallInWords(watch)}`}
    />
  )
}
