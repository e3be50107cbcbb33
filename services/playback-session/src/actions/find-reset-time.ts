import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/stored-assignment.ts'

/**
 * The start of the present attempt at a person's task in ms; undefined without a reset. The lock
 * carries it, so that engagement credits the present attempt while the event of the reset waits.
 */
export async function findResetTime(
  ctx: Pick<PlaybackContext, 'assignments'>,
  { personId, playlistId }: { personId: string; playlistId: string },
): Promise<number | undefined> {
  const assignment = await ctx.assignments.cached.get(assignmentKey(personId, playlistId))
  return assignment?.resetAt?.getTime()
}
