import { createHash } from 'node:crypto'
import type { Video } from '@watchline/contracts/playlists'
import type { PlaybackContext } from '../context.ts'
import { addAssignments } from './add-assignments.ts'
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
 * Adds playlists and assignments with the events of a manual creation. Seeding again changes
 * nothing: renamed, unassigned and deleted playlists stay as they are.
 */
export async function seedPlaylists(ctx: PlaybackContext, playlists: readonly SeededPlaylist[]): Promise<void> {
  for (const { assignments, sharedWith, videos, ...fields } of playlists) {
    const id = seededId(fields)
    if ((await ctx.playlists.byIds([id])).length > 0 || (await ctx.playlists.findDeleted(id))) continue
    const newest = { limit: maxPlaylistsOfOwner, sort: 'created', order: 'desc' } as const
    const { items: own } = await ctx.playlists.page({ createdBy: fields.createdBy }, newest)
    if (own.some(({ title }) => title === fields.title)) continue
    const playlist = await addPlaylist(ctx, { ...fields, id, videos: [...videos], sharedWith: [...sharedWith] })
    for (const { by, to } of assignments) await addAssignments(ctx, playlist, to, { by })
  }
}

/** Depends on the seed alone, so that a renamed playlist is still found. */
function seededId({ createdBy, title }: Pick<SeededPlaylist, 'createdBy' | 'title'>): string {
  return createHash('sha256').update(`${createdBy}:${title}`).digest('hex').slice(0, 24)
}
