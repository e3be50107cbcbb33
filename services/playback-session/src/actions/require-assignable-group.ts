import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { mayAssignToGroup, mayChangeGroupAssignment } from '../rules/rights.ts'
import type { GroupAssignment } from '../store/group-assignments.ts'
import type { Group } from '../store/groups.ts'

/**
 * The playlist, the group, and the group's assignment of it. Fails with `not_found` unless the
 * caller may assign both. After unsharing, the caller may still change what they assigned. Callers
 * check an assignment that they read again in a transaction.
 */
export async function requireAssignableGroup(
  ctx: Pick<PlaybackContext, 'playlists' | 'groups' | 'groupAssignments'>,
  caller: Person,
  params: { id: string; group_id: string },
): Promise<{ playlist: Playlist; group: Group; assignment: GroupAssignment | undefined }> {
  const [playlist] = await ctx.playlists.byIds([params.id])
  const [group] = await ctx.groups.byIds([params.group_id])
  if (!playlist || !group || !mayAssignToGroup(caller, group)) fail('not_found')
  const assignment = await ctx.groupAssignments.find(playlist.id, group.id)
  if (!mayChangeGroupAssignment(caller, playlist, assignment)) fail('not_found')
  return { playlist, group, assignment }
}
