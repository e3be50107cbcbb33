import { limits } from '@watchline/contracts/limits'
import { type Playlist, playableVideos } from './playlist.ts'
import { summarise } from './summary.ts'
import { videoKey, type Watches } from './watch-state.ts'

type CreditedPart = [from: number, to: number]

/**
 * The credited parts of all playable videos end to end, as shares of their whole length. Beyond
 * `max` parts, the length is cut into `max` equal cells. Each cell is filled from its start by its
 * credited share. The sum stays right, and only the order inside a cell is lost.
 */
export function listCreditedParts(
  assigned: readonly Playlist[],
  watches: Watches,
  max: number = limits.creditedPartsMax,
): CreditedPart[] {
  const videos = assigned.flatMap(playlist =>
    playableVideos(playlist).map(({ id, duration }) => ({ key: videoKey(playlist.id, id), duration })),
  )
  const length = videos.reduce((sum, { duration }) => sum + duration, 0)
  if (!(length > 0)) return []
  const parts: CreditedPart[] = []
  let start = 0
  for (const { key, duration } of videos) {
    for (const [from, to] of summarise(watches[key], duration).watched)
      addPart(parts, [roundShare((start + from) / length), roundShare((start + to) / length)])
    start += duration
  }
  return parts.length > max ? drawCells(parts, max) : parts
}

/** The end of a video touches the start of the next one. */
function addPart(parts: CreditedPart[], [from, to]: CreditedPart): void {
  const last = parts.at(-1)
  if (last && from <= last[1]) last[1] = Math.max(last[1], to)
  else if (to > from) parts.push([from, to])
}

function drawCells(parts: readonly CreditedPart[], count: number): CreditedPart[] {
  return Array.from({ length: count }, (_, index): CreditedPart => {
    const [start, end] = [index / count, (index + 1) / count]
    const credited = parts.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0)
    return [roundShare(start), roundShare(Math.min(end, start + credited))]
  }).filter(([from, to]) => to > from)
}

/** Finer than a screen shows. */
function roundShare(share: number): number {
  return Math.min(1, Math.round(share * 10_000) / 10_000)
}
