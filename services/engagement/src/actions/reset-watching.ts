import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import { resetPlaylist } from '../rules/reset-playlist.ts'

const watchersAtOnce = 100

/** Starts the playlist again for people, in the caller's transaction. May be repeated. */
export async function resetWatching(
  ctx: Pick<EngagementContext, 'watchers'>,
  tx: Transaction,
  reset: { playlistId: string; personIds: readonly string[]; at: Date },
): Promise<void> {
  const { playlistId, personIds, at } = reset
  for (let from = 0; from < personIds.length; from += watchersAtOnce) {
    const watchers = await ctx.watchers.load(personIds.slice(from, from + watchersAtOnce), tx.session)
    const changes = [...watchers.values()].flatMap(before => {
      const effect = resetPlaylist(before, playlistId, at.getTime())
      return effect ? [{ before, ...effect }] : []
    })
    if (changes.length > 0) await ctx.watchers.writeInTransaction(changes, tx.session)
  }
}
