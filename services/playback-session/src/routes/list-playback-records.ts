import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'

export const listPlaybackRecords = defineInternalRoute(
  contract.listPlaybackRecords,
  async ({ params: { personId } }, ctx: PlaybackContext) => {
    const [assignments, playlists, positions, sessions] = await Promise.all([
      ctx.assignments.countFor(personId),
      ctx.playlists.count({ createdBy: personId }, undefined),
      ctx.progress.countFor(personId),
      ctx.monitoring.countFor(personId),
    ])
    const records: contract.RecordKind[] = []
    if (assignments > 0) records.push('assignments')
    if (playlists > 0) records.push('playlists')
    if (positions + sessions > 0) records.push('watching')
    return { records }
  },
)
