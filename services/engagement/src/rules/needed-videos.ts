import type { Playlist } from './playlist.ts'
import { videoKey } from './watch-state.ts'
import type { WatcherUpdate } from './watcher-update.ts'

/*
 * A person may have watched thousands of videos, and a report concerns one of them. So crediting
 * first loads the watches of the reported playlists only. An update that needs another watch is not
 * complete. It must be made again from the person's whole state.
 */

/** A query that names more videos costs more than it saves. */
const maxKeys = 500

/** The keys of all videos of the playlist, removed ones included. */
export function listVideoKeys({ id, videos, removedVideos }: Playlist): string[] {
  return [...videos, ...removedVideos].map(video => videoKey(id, video.id))
}

/** Undefined if one of the reports needs everything, or if they need too many. */
export function mergeKeys(reports: readonly { videoKeys?: readonly string[] }[]): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const { videoKeys } of reports) {
    if (!videoKeys) return undefined
    for (const key of videoKeys) keys.add(key)
    if (keys.size > maxKeys) return undefined
  }
  return keys
}

/**
 * Whether the update is the same as one made from the person's whole state. A report reads only
 * videos of its own playlist, videos that it changes, and videos with notes to publish. A completed
 * video may complete any playlist, and a reset moves every video of its playlist, loaded or not.
 */
export function isCompleteWith(
  { before, state, touched, completed }: WatcherUpdate,
  loadedKeys: ReadonlySet<string>,
): boolean {
  const isReset = state.resets !== before.state.resets
  return !isReset && completed.length === 0 && [...touched, ...before.unpublishedKeys].every(key => loadedKeys.has(key))
}
