import { selectNotesToPublish, type UnpublishedNotes } from './unpublished-notes.ts'
import type { WatchState } from './watch-state.ts'

/** Everything known of one person's watching. */
export interface Watcher {
  personId: string
  /** Every write adds one; 0 means not stored yet. */
  version: number
  state: WatchState
  /** Ids of the playlists completed so far; only a reset removes one. */
  completedPlaylists: readonly string[]
  /** Keys of the videos with notes that no event has published yet. */
  unpublishedKeys: readonly string[]
}

/** A change of one person's watch state before it is written. */
export interface WatcherUpdate {
  before: Watcher
  state: WatchState
  /** Keys of the videos that change. */
  touched: ReadonlySet<string>
  /** Keys of the videos that become complete. */
  completed: readonly string[]
  completedPlaylists: readonly string[]
  unpublishedKeys: readonly string[]
  /** Notes to publish in the transaction that stores the state. */
  notesToPublish: readonly UnpublishedNotes[]
}

/**
 * Adds the notes that are due for publication. `afterResets` is `before` with the resets that come
 * with the update, if there are any. `now` is in ms.
 */
export function prepareUpdate(
  {
    before,
    afterResets = before,
    state,
    touched,
    completed,
  }: Pick<WatcherUpdate, 'before' | 'state' | 'touched' | 'completed'> & { afterResets?: Watcher },
  now: number,
): WatcherUpdate {
  const { notesToPublish, ...selection } = selectNotesToPublish(afterResets, state, touched, now)
  return {
    before,
    completed,
    completedPlaylists: afterResets.completedPlaylists,
    ...selection,
    notesToPublish,
    touched: new Set([...touched, ...notesToPublish.map(({ key }) => key)]),
  }
}

/** An update without events needs no transaction. */
export function hasNoEvents({ completed, notesToPublish }: WatcherUpdate): boolean {
  return completed.length === 0 && notesToPublish.length === 0
}
