import type { OverrideAction } from '@watchline/contracts/fields'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { assignmentKey } from '../store/assignments.ts'
import { endResetSessions, resetProgress } from './reset-progress.ts'

export interface OverrideInput {
  changeId: string
  action: OverrideAction
  by: string
  reason: string
}

/**
 * Overrides assignments of people who have the playlist, publishes it, and returns the ids of the
 * people whose assignment changed. Calls for one playlist wait for each other, so that a change id
 * is applied once.
 */
export async function overrideAssignments(
  ctx: PlaybackContext,
  playlist: Playlist,
  personIds: readonly string[],
  { changeId, action, by, reason }: OverrideInput,
): Promise<string[]> {
  const { changed, at } = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const applied = await ctx.assignmentChanges.findApplied(changeId, playlist.id, personIds, tx.session)
    const remainingIds = personIds.filter(id => !applied.has(id))
    const previous = await ctx.assignments.override(playlist.id, remainingIds, { action, by, at, reason }, tx.session)
    const changed = previous.map(({ personId }) => personId)
    if (changed.length === 0) return { changed, at }
    if (action === 'reset') await resetProgress(ctx, tx, playlist.id, changed)
    await ctx.assignmentChanges.addOverrides(
      previous.map(({ personId, override }) => ({
        ...{ changeId, personId, playlistId: playlist.id, at, by, action, reason },
        before: override && { ...override, at: override.at.toISOString() },
      })),
      tx.session,
    )
    tx.publish('assignment.overridden', playlist.id, {
      ...{ playlist_id: playlist.id, title: playlist.title, by, changed, action, reason },
      changed_at: at.toISOString(),
    })
    return { changed, at }
  })
  for (const personId of changed) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  if (action === 'reset') await endResetSessions(ctx, playlist.id, changed, at)
  return changed
}
