import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Subscribable } from '../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import type { PlayedRange } from './credit-figures.ts'
import { type GapPlayer, type GapTourControl, useGapTour } from './use-gap-tour.ts'
import { type AnsweredReport, usePlaylistWatch } from './use-playlist-watch.ts'

/** The monitored session as the credited figures see it. */
export interface CreditSession extends GapPlayer {
  playlist: { id: string; title: string }
  playlistEnded: boolean
  hasAttentionCheck: boolean
  /** The whole second that the player shows. */
  shownSecond: Subscribable<number>
  latestAnswer: Subscribable<AnsweredReport | undefined>
  /** The time of the session's latest report, answered or not, in ms. */
  reportedAt: Subscribable<number>
  /** All that the session has played; `at`: when its last second was played, in ms. */
  played: Subscribable<readonly (PlayedRange & { at: number })[]>
}

/** One source for every figure of the session's screen. */
interface Credit extends ReturnType<typeof usePlaylistWatch> {
  session: CreditSession
  gapTour: GapTourControl
}

const CreditContext = createContext<Credit | undefined>(undefined)

export function CreditProvider({ session, children }: { session: CreditSession; children: ReactNode }) {
  const credit = usePlaylistWatch(session.playlist.id, session.latestAnswer)
  const gapTour = useGapTour(session)
  return <CreditContext value={{ ...credit, session, gapTour }}>{children}</CreditContext>
}

export function useCredit(): Credit {
  const credit = useContext(CreditContext)
  if (!credit) throw new Error('useCredit needs a CreditProvider')
  return credit
}

/** The played ranges that the server has not confirmed yet. Renders again every second. */
export function usePlayed(): readonly PlayedRange[] {
  const { session, confirmedAt } = useCredit()
  const played = useSubscribable(session.played)
  return useMemo(() => played.filter(({ at }) => at > confirmedAt), [played, confirmedAt])
}
