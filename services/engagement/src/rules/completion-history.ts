import { ratePerson, type WeightedRate } from './completion-figures.ts'
import { readCreditHistory } from './credit-history.ts'
import { type Playlist, playableVideos } from './playlist.ts'
import { roundRate, summarise } from './summary.ts'
import { type VideoWatch, videoKey, type Watches } from './watch-state.ts'

/** The state of a person's completion from a date on. */
export interface PersonDay {
  /** ISO 8601. */
  date: string
  /** Whole percent. */
  rate: number
  completedVideos: number
}

interface RateStep {
  /** ms */
  at: number
  rate: number
  completed: boolean
}

/**
 * The dates on which a person's completion of these playlists changed, oldest first. The last rate
 * is the present one. Each date is measured against the present playlists.
 */
export function listPersonDays(
  assigned: readonly Playlist[],
  watches: Watches,
  dateOf: (at: number) => string,
): PersonDay[] {
  const videos: (WeightedRate & { completed: boolean })[] = []
  const changes = new Map<string, (() => void)[]>()
  for (const playlist of assigned)
    for (const { id, duration } of playableVideos(playlist)) {
      const video = { rate: 0, duration, completed: false }
      videos.push(video)
      for (const { at, rate, completed } of listSteps(watches[videoKey(playlist.id, id)], duration)) {
        const date = dateOf(at)
        const ofDate = changes.get(date) ?? []
        ofDate.push(() => Object.assign(video, { rate, completed }))
        changes.set(date, ofDate)
      }
    }
  return [...changes]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([date, ofDate]) => {
      for (const apply of ofDate) apply()
      return {
        date,
        rate: ratePerson(videos),
        completedVideos: videos.filter(({ completed }) => completed).length,
      }
    })
}

/** The completion rate of a video after each change, oldest first. */
function listSteps(watch: VideoWatch | undefined, duration: number): RateStep[] {
  if (!watch) return []
  const { completionRate: rate, completedAt } = summarise(watch, duration)
  const points = readCreditHistory(watch)
  const instants = new Set([...points.map(([at]) => at), ...(completedAt === null ? [] : [completedAt])])
  return [...instants]
    .sort((left, right) => left - right)
    .map((at, index) => {
      const completed = completedAt !== null && completedAt <= at
      if (index === instants.size - 1) return { at, rate, completed }
      const seconds = points.findLast(point => point[0] <= at)?.[1] ?? 0
      const share = duration > 0 ? Math.min(100, (seconds / duration) * 100) : 0
      return { at, rate: Math.min(rate, roundRate(share, completed)), completed }
    })
}
