import { limits } from '@watchline/contracts/limits'
import type { EngagementContext } from '../context.ts'
import { type EndedOccurrence, listOccurrences } from '../rules/record/occurrences.ts'
import type { Member } from './load-members.ts'

/**
 * The ended occurrences of a person's tasks by playlist. Without recurring tasks it reads nothing.
 */
export async function loadOccurrences(
  { taskFacts }: Pick<EngagementContext, 'taskFacts'>,
  { person, recurredPlaylistIds }: Pick<Member, 'person' | 'recurredPlaylistIds'>,
): Promise<Map<string, EndedOccurrence[]>> {
  if (recurredPlaylistIds.length === 0) return new Map()
  const facts = await taskFacts.listOf(person.id, recurredPlaylistIds, limits.recordFactsMax)
  const byPlaylist = Map.groupBy(facts, ({ playlistId }) => playlistId)
  return new Map([...byPlaylist].map(([playlistId, ofPlaylist]) => [playlistId, listOccurrences(ofPlaylist)]))
}
