import { createHash } from 'node:crypto'
import type { Video } from '@watchline/contracts/playlists'
import type { PlaybackContext } from '../context.ts'
import { storePlaylist } from './add-playlist.ts'
import { assignTo } from './find-assignable.ts'

/** A playlist to begin with; people by their ids. */
export interface SeededPlaylist {
  title: string
  description: string
  videos: readonly Video[]
  createdBy: string
  /** Supervisors under whoever made it. */
  sharedWith: readonly string[]
  assignments: readonly { by: string; to: readonly string[] }[]
}

const manyOfOneOwner = 500

/**
 * Brings in playlists and assignments with the same events as if they had been made by hand, once: what was renamed, unassigned or
 * deleted since stays as it was left.
 */
export async function seedPlaylists(ctx: PlaybackContext, playlists: readonly SeededPlaylist[]): Promise<void> {
  for (const { assignments, sharedWith, ...given } of playlists) {
    const id = seededId(given)
    if ((await ctx.playlists.byIds([id])).length > 0 || (await ctx.playlists.deleted(id))) continue
    const { items: own } = await ctx.playlists.page({ createdBy: given.createdBy }, { limit: manyOfOneOwner })
    if (own.some(each => each.title === given.title)) continue
    const playlist = await storePlaylist(ctx, { ...given, id, videos: [...given.videos], sharedWith: [...sharedWith] })
    for (const { by, to } of assignments) await assignTo(ctx, { playlist, by, personIds: to })
  }
}

/** The same for the same seed, whatever the playlist is called by now. */
function seededId({ createdBy, title }: Pick<SeededPlaylist, 'createdBy' | 'title'>): string {
  return createHash('sha256').update(`${createdBy}:${title}`).digest('hex').slice(0, 24)
}
