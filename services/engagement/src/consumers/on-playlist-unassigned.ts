import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

/** Watched seconds stay credited. */
export const onPlaylistUnassigned = defineConsumer(
  'playlist.unassigned',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { playlist_id: playlistId, by, unassigned, unassigned_date, cause } = event.data
    tx.bumpVersions(playlistVersion(playlistId))
    const at = new Date(unassigned_date ?? event.time)
    const noTerms = { dueAt: null, graceUntil: null, conditions: null }
    const terms = { at, ...noTerms, dueChangedAt: at, override: null, overrideChangedAt: at }
    await ctx.projections.assignments.put(
      unassigned.map(personId => ({ personId, playlistId, assigned: false, ...terms })),
      tx.session,
    )
    const fact = { kind: 'unassigned', playlistId, at, by, endCause: cause } as const
    await ctx.taskFacts.add({ sourceId: event.id, personIds: unassigned, ...fact }, tx.session)
  },
)
