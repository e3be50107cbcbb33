import { createHash } from 'node:crypto'
import type { Video } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentAssigning } from '../rules/playlist-events.ts'
import { assignmentKey } from '../store/assignments.ts'
import { retryOnDuplicateKey } from '../store/retry-on-duplicate-key.ts'
import { addPlaylist } from './add-playlist.ts'

/** A playlist of the initial data; people are given by id. */
export interface SeededPlaylist {
  title: string
  description: string
  videos: readonly Video[]
  createdBy: string
  /** Supervisors of the owner. */
  sharedWith: readonly string[]
  assignments: readonly { by: string; to: readonly string[] }[]
}

const maxPlaylistsOfOwner = 500

/**
 * Adds playlists and assignments with the events of a manual creation. Seeding again changes nothing:
 * renamed, unassigned and deleted playlists stay as they are.
 */
export async function seedPlaylists(ctx: PlaybackContext, playlists: readonly SeededPlaylist[]): Promise<void> {
  for (const { assignments, sharedWith, videos, ...fields } of playlists) {
    const id = seededId(fields)
    if ((await ctx.playlists.byIds([id])).length > 0 || (await ctx.playlists.findDeleted(id))) continue
    const { items: own } = await ctx.playlists.page({ createdBy: fields.createdBy }, { limit: maxPlaylistsOfOwner })
    if (own.some(({ title }) => title === fields.title)) continue
    const playlist = await addPlaylist(ctx, { ...fields, id, videos: [...videos], sharedWith: [...sharedWith] })
    for (const { by, to } of assignments) await seedAssignments(ctx, playlist, by, to)
  }
}

async function seedAssignments(ctx: PlaybackContext, playlist: Playlist, by: string, personIds: readonly string[]) {
  const assigned = await retryOnDuplicateKey(() =>
    ctx.outbox.transaction(async tx => {
      const now = new Date(ctx.clock.now())
      const assignedDate = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
      const assignment = { playlistId: playlist.id, assignedBy: by, assignedDate }
      const assigned = await ctx.assignments.add(assignment, personIds, tx.session)
      if (assigned.length > 0)
        tx.publish('playlist.assigned', playlist.id, presentAssigning(playlist, { by, assigned, assignedDate }))
      return assigned
    }),
  )
  for (const personId of assigned) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
}

/** Depends on the seed alone, so that a renamed playlist is still found. */
function seededId({ createdBy, title }: Pick<SeededPlaylist, 'createdBy' | 'title'>): string {
  return createHash('sha256').update(`${createdBy}:${title}`).digest('hex').slice(0, 24)
}
