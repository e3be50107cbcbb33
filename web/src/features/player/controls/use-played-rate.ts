import { useEffect, useState, useSyncExternalStore } from 'react'
import type { SessionRunner } from '../session/session-runner.ts'

/** A player may need this long (ms) to play at a new speed. */
const changeMs = 2_000
const noSubscription = () => () => {}

/** The speed to show: the chosen one, unless the video keeps playing at another. */
export function usePlayedRate(runner: SessionRunner | undefined, chosenRate: number): number {
  const playedRate = useSyncExternalStore(runner?.clock.subscribe ?? noSubscription, () =>
    runner?.view.get().phase === 'playing' ? runner.clock.get().rate : undefined,
  )
  const [shownRate, setShownRate] = useState(chosenRate)
  useEffect(() => setShownRate(chosenRate), [chosenRate])
  useEffect(() => {
    // The shown speed stays while the video loads.
    if (playedRate === undefined) return
    if (playedRate === chosenRate) {
      setShownRate(chosenRate)
      return
    }
    const timer = setTimeout(() => setShownRate(playedRate), changeMs)
    return () => clearTimeout(timer)
  }, [chosenRate, playedRate])
  return shownRate
}
