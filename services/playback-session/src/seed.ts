import type { Video } from '@watchline/contracts/playback'
import { assignTo } from './assigning.ts'
import type { PlaybackContext } from './context.ts'
import { storePlaylist } from './creating.ts'

/** A playlist to begin with; people by their ids. */
export interface SeededPlaylist {
  title: string
  description: string
  videos: readonly Video[]
  createdBy: string
  /** Supervisors. */
  sharedWith: readonly string[]
  assignments: readonly { by: string; to: readonly string[] }[]
}

const manyOfOneOwner = 500

/** Brings in playlists and assignments with the same events as if they had been made by hand. What is there stays. */
export async function seedPlaylists(ctx: PlaybackContext, playlists: readonly SeededPlaylist[]): Promise<void> {
  for (const { assignments, sharedWith, ...given } of playlists) {
    const { items: own } = await ctx.playlists.page({ createdBy: given.createdBy }, { limit: manyOfOneOwner })
    const playlist =
      own.find(each => each.title === given.title) ??
      (await storePlaylist(ctx, { ...given, videos: [...given.videos], sharedWith: [...sharedWith] }))
    for (const { by, to } of assignments) await assignTo(ctx, { playlist, by, personIds: to })
  }
}
