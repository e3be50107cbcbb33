import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import type { PlaybackContext } from '../context.ts'
import { limitOfEach } from '../rules/assignee-limit.ts'
import type { Assignees } from '../store/assignments.ts'
import { findSubordinates } from './find-subordinates.ts'

/** The people a playlist is assigned to whom the caller may see: the latest, and how many they are. */
export interface VisibleAssignees extends Assignees {
  count: number
}

const bounds = { most: limits.assignMaxPeople, total: limits.assigneesPerAnswer }

/** Playlists without visible assignees are absent. */
export async function findVisibleAssignees(
  ctx: Pick<PlaybackContext, 'assignments' | 'teams'>,
  caller: Person,
  playlistIds: readonly string[],
  onlyPersonId?: string,
): Promise<Map<string, VisibleAssignees>> {
  const subordinateIds = (await findSubordinates(ctx, caller))?.map(({ id }) => id)
  if (!subordinateIds && onlyPersonId === undefined) return findAmongEverybody(ctx, playlistIds)
  const personIds = subordinateIds?.filter(id => onlyPersonId === undefined || id === onlyPersonId)
  const found = await ctx.assignments.findAssignees(playlistIds, { personIds: personIds ?? [onlyPersonId!] })
  const counts = [...found.values()].map(assignees => assignees.personIds.length)
  const limit = limitOfEach(counts, bounds)
  return new Map(
    [...found].map(([id, assignees]) => [
      id,
      { ...assignees, personIds: assignees.personIds.slice(0, limit), count: assignees.personIds.length },
    ]),
  )
}

/** Counts come from memory, and only those of lists that are cut matter. */
async function findAmongEverybody(
  { assignments }: Pick<PlaybackContext, 'assignments'>,
  playlistIds: readonly string[],
): Promise<Map<string, VisibleAssignees>> {
  const counts = await Promise.all(playlistIds.map(async id => (await assignments.counts.get(id)) ?? 0))
  const limit = limitOfEach(counts, bounds)
  const found = await assignments.findAssignees(playlistIds, { everybody: true, limit })
  return new Map(
    playlistIds.flatMap((id, index) => {
      const assignees = found.get(id)
      if (!assignees) return []
      const listed = assignees.personIds.length
      return [[id, { ...assignees, count: listed < limit ? listed : Math.max(listed, counts[index]!) }]]
    }),
  )
}
