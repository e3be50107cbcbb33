import type { PlaybackContext } from '../context.ts'
import { keysOfSeen } from '../rules/presence-visibility.ts'

/** The versions that stand for these people's presence, of everybody who sees them. */
export async function sightKeys(
  { people }: Pick<PlaybackContext, 'people'>,
  ...personIds: string[]
): Promise<string[]> {
  const known = await Promise.all(personIds.map(id => people.get(id)))
  const above = await Promise.all(known.map(person => person?.supervisorId && people.get(person.supervisorId)))
  return [...new Set(known.flatMap((person, index) => keysOfSeen(person, above[index] || undefined)))]
}

/**
 * Raises them at once, for what happened in the live store and in no transaction. As presence itself, it may be lost: the list of who is
 * online is repeated unseen for a short time only.
 */
export async function raiseSight(ctx: Pick<PlaybackContext, 'people' | 'live'>, ...personIds: string[]): Promise<void> {
  await sightKeys(ctx, ...personIds)
    .then(keys => ctx.live.versions.bump(keys))
    .catch(() => {})
}
