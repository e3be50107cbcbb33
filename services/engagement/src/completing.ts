import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from './context.ts'
import { type IntegrityNews, integrityNews } from './rules/integrity-news.ts'
import { isPlaylistComplete } from './rules/overview.ts'
import { onceVideoOf, type Playlist } from './rules/playlist.ts'
import { readVideoKey, type WatchState } from './rules/watch-state.ts'
import type { Watcher, WatcherChange } from './store/watchers.ts'

type Completing = Pick<EngagementContext, 'clock' | 'calendar' | 'completionDays' | 'watchers' | 'projections'>

/** What a person's document becomes, with what others are to be told of it. */
export interface Turn {
  before: Watcher
  state: WatchState
  touched: ReadonlySet<string>
  /** Keys of the videos that were completed. */
  completed: readonly string[]
  untold: readonly string[]
  news: readonly IntegrityNews[]
}

/** The turn with the notes that are to be told by it. */
export function turnOf(turn: Pick<Turn, 'before' | 'state' | 'touched' | 'completed'>, now: number): Turn {
  const { before, touched } = turn
  const { state, untold, news } = integrityNews(before, turn.state, touched, now)
  return { ...turn, state, untold, news, touched: new Set([...touched, ...news.map(each => each.key)]) }
}

/** Whether nobody else has to hear of it: then it is written without a transaction of its own. */
export function isQuiet({ completed, news }: Turn): boolean {
  return completed.length === 0 && news.length === 0
}

/** The playlists that a turn tells of, as far as they are known. */
export function playlistsOf(
  ctx: Pick<Completing, 'projections'>,
  turns: readonly Turn[],
): Promise<Map<string, Playlist>> {
  const keys = turns.flatMap(({ completed, news }) => [...completed, ...news.map(each => each.key)])
  return ctx.projections.known(keys.map(key => readVideoKey(key).playlistId))
}

/** The change to write for a turn that completes no playlist. */
export function changeOf({ before, state, touched, untold }: Turn): WatcherChange {
  return { before, state, touched, untold, completedPlaylists: before.completedPlaylists }
}

/**
 * Writes turns that others hear of, with their events, in one transaction: completions, and notes, which are told by the transaction
 * that marks them as told. `besides` are playlists that may be complete for another reason.
 */
export async function writeTold(
  ctx: Completing,
  tx: Transaction,
  turns: readonly Turn[],
  playlists: ReadonlyMap<string, Playlist>,
  besides: readonly string[] = [],
): Promise<void> {
  const now = ctx.clock.now()
  const written = turns.map(turn => ({ turn, finished: finishedBy(turn, playlists, besides) }))
  await ctx.watchers.write(
    written.map(({ turn, finished }) => ({
      ...changeOf(turn),
      ...(finished.length > 0 && { completedPlaylists: [...turn.before.completedPlaylists, ...finished] }),
    })),
    tx.session,
  )
  const completions = turns.reduce((sum, turn) => sum + turn.completed.length, 0)
  if (completions > 0) await ctx.completionDays.add(ctx.calendar.dateOf(now), completions, tx.session)
  for (const { turn, finished } of written) tell(tx, turn, finished, playlists, now)
}

/** The playlists that are complete by this turn, and were not before. */
function finishedBy(
  { before, state, completed }: Turn,
  playlists: ReadonlyMap<string, Playlist>,
  besides: readonly string[],
): string[] {
  const ids = new Set([...completed.map(key => readVideoKey(key).playlistId), ...besides])
  return [...ids].filter(id => {
    const playlist = playlists.get(id)
    return playlist && !before.completedPlaylists.includes(id) && isPlaylistComplete(playlist, state.videos)
  })
}

function tell(
  tx: Transaction,
  { before: { personId }, state, completed, news }: Turn,
  finished: readonly string[],
  playlists: ReadonlyMap<string, Playlist>,
  now: number,
): void {
  for (const key of completed) {
    tx.publish('video.completed', personId, {
      person_id: personId,
      ...videoIn(playlists, key),
      completed_at: new Date(state.videos[key]?.completedAt ?? now).toISOString(),
    })
  }
  for (const playlistId of finished) {
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: new Date(now).toISOString(),
      playlist_title: playlists.get(playlistId)?.title,
    })
  }
  for (const { key, notes } of news)
    tx.publish('integrity.noted', personId, { person_id: personId, ...videoIn(playlists, key), notes })
}

/** Which video it is, and what it and its playlist are called. */
function videoIn(playlists: ReadonlyMap<string, Playlist>, key: string) {
  const { playlistId, videoId } = readVideoKey(key)
  const playlist = playlists.get(playlistId)
  return {
    playlist_id: playlistId,
    video_id: videoId,
    playlist_title: playlist?.title || undefined,
    video_title: playlist && onceVideoOf(playlist, videoId)?.title,
  }
}
