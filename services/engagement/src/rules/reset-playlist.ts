import { type Attention, earlierVideoKey, readVideoKey } from './watch-state.ts'
import type { Watcher } from './watcher-update.ts'

/** A watcher after a reset, with the keys of the videos that changed or moved. */
export interface ResetEffect extends Pick<Watcher, 'state' | 'completedPlaylists' | 'unpublishedKeys'> {
  touched: Set<string>
}

/**
 * Starts a playlist again: what was watched moves to the history. Time under the lock before the
 * reset never pays for seconds that are reported after it, so a late report cannot complete the new
 * attempt. Undefined if this reset, or a later one, was applied before. `at` is in ms.
 */
export function resetPlaylist(
  { state, completedPlaylists, unpublishedKeys }: Pick<Watcher, 'state' | 'completedPlaylists' | 'unpublishedKeys'>,
  playlistId: string,
  at: number,
): ResetEffect | undefined {
  if ((state.resets?.[playlistId] ?? Number.NEGATIVE_INFINITY) >= at) return undefined
  const isOfAttempt = (key: string) => {
    const video = readVideoKey(key)
    return video.playlistId === playlistId && video.endedAt === null
  }
  const { attention, ...otherState } = state
  const touched = new Set<string>()
  const videos = Object.entries(state.videos).map(([key, watch]) => {
    if (!isOfAttempt(key)) return [key, watch] as const
    const earlierKey = earlierVideoKey(key, at)
    touched.add(key).add(earlierKey)
    return [earlierKey, watch] as const
  })
  return {
    touched,
    completedPlaylists: completedPlaylists.filter(id => id !== playlistId),
    unpublishedKeys: unpublishedKeys.filter(key => readVideoKey(key).playlistId !== playlistId),
    state: {
      ...otherState,
      ...(attention && { attention: endCheckOf(attention, isOfAttempt) }),
      balance: Math.min(state.balance, 0),
      discardedUpTo: Math.max(state.discardedUpTo, at),
      candidates: state.candidates.filter(({ key }) => !isOfAttempt(key)),
      anchors: state.anchors.filter(({ key }) => !isOfAttempt(key)),
      videos: Object.fromEntries(videos),
      resets: { ...state.resets, [playlistId]: at },
    },
  }
}

/** The count goes on, because it belongs to all tasks of the person. */
function endCheckOf(attention: Attention, isOfAttempt: (key: string) => boolean): Attention {
  const { open, ...count } = attention
  return open && isOfAttempt(open.key) ? count : attention
}
